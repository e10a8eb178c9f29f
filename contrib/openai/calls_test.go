package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

// A callWire is one way in which a server streams the calls of tools. Each field is a number of its table.
type callWire struct{ index, id, name, none, whole, order int }

var (
	wireIndex = []string{"index of each", "no index", "index 0", "index 1 for all", "index null", "index of each, once"}
	wireID    = []string{"id once", "id in each", "no id", "empty id", "one id for all", "id in two"}
	wireName  = []string{"name once", "name in each"}
	wireNone  = []string{"arguments empty", "arguments null", "arguments absent", "arguments {}"}
	wireWhole = []string{"whole", "name first", "in pieces"}
	wireOrder = []string{"one event", "an event each", "an event a call", "interleaved"}
)

func (w callWire) String() string {
	return strings.Join([]string{wireIndex[w.index], wireID[w.id], wireName[w.name], wireNone[w.none], wireWhole[w.whole], wireOrder[w.order]}, ", ")
}

// fragments returns the pieces of a call.
func (w callWire) fragments(number int, c chat.ToolCall) (list []string) {
	pieces := []*string{&c.Arguments}
	empty := ""
	switch {
	case c.Arguments == "" && wireNone[w.none] == "arguments {}":
		c.Arguments = "{}"
		fallthrough
	case c.Arguments != "":
		half := len(c.Arguments) / 2
		first, second := c.Arguments[:half], c.Arguments[half:]
		pieces = [][]*string{{&c.Arguments}, {&empty, &c.Arguments}, {&empty, &first, &second}}[w.whole]
	}
	for i, piece := range pieces {
		var members []string
		switch index := wireIndex[w.index]; {
		case index == "index null":
			members = append(members, `"index":null`)
		case index == "index of each", index == "index of each, once" && i == 0:
			members = append(members, fmt.Sprintf(`"index":%d`, number))
		case index == "index 0":
			members = append(members, `"index":0`)
		case index == "index 1 for all":
			members = append(members, `"index":1`)
		}
		switch id := wireID[w.id]; {
		case id == "id once" && i == 0, id == "id in two" && i < 2, id == "id in each":
			members = append(members, fmt.Sprintf(`"id":"c%d"`, number))
		case id == "empty id":
			members = append(members, `"id":""`)
		case id == "one id for all":
			members = append(members, `"id":"c"`)
		}
		var function []string
		if i == 0 || wireName[w.name] == "name in each" {
			function = append(function, `"name":"`+c.Name+`"`)
		}
		switch text, err := json.Marshal(*piece); {
		case err != nil:
			panic(err)
		case *piece != "" || wireNone[w.none] == "arguments empty" || wireNone[w.none] == "arguments {}":
			function = append(function, `"arguments":`+string(text))
		case wireNone[w.none] == "arguments null":
			function = append(function, `"arguments":null`)
		}
		list = append(list, `{`+strings.Join(append(members, `"function":{`+strings.Join(function, ",")+`}`), ",")+`}`)
	}
	return list
}

// events returns the stream: its events are lists of fragments.
func (w callWire) events(calls []chat.ToolCall) (list []string) {
	var all [][]string
	for i, c := range calls {
		all = append(all, w.fragments(i, c))
	}
	event := func(fragments ...string) {
		list = append(list, chunk(`{"tool_calls":[`+strings.Join(fragments, ",")+`]}`, ""))
	}
	switch wireOrder[w.order] {
	case "one event":
		event(slices.Concat(all...)...)
	case "an event each":
		for _, f := range slices.Concat(all...) {
			event(f)
		}
	case "an event a call":
		for _, fragments := range all {
			event(fragments...)
		}
	case "interleaved":
		for i, some := 0, true; some; i++ {
			some = false
			for _, fragments := range all {
				if i < len(fragments) {
					event(fragments[i])
					some = true
				}
			}
		}
	}
	return append(list, chunk(`{}`, "tool_calls"), "[DONE]")
}

// open reports whether nothing in the stream shows to which calls its fragments belong.
func (w callWire) open(calls []chat.ToolCall) string {
	same := calls[0].Name == calls[1].Name
	own := wireIndex[w.index] == "index of each, once" || wireID[w.id] == "id once" || wireID[w.id] == "id in two" // of a call that begins
	switch {
	case wireIndex[w.index] == "index of each", wireID[w.id] == "id in each", wireID[w.id] == "id in two" && wireWhole[w.whole] != "in pieces":
		return ""
	case wireOrder[w.order] == "interleaved" && w.whole > 0:
		return "pieces of calls come in turn, and neither index nor ID is of one call"
	case same && !own && (calls[0].Arguments == "" || calls[1].Arguments == ""):
		return "a name comes again, without arguments before it or in it: it may be the same call"
	case same && wireID[w.id] == "one id for all" && w.whole > 0:
		return "name and ID come again, without arguments: they may be of the same call"
	}
	return ""
}

// inOrder reads a stream as the README has it where nothing shows what belongs together: a name begins a call, and what has none continues
// the last one; so does the same name with the same ID before there are arguments.
func (w callWire) inOrder(t *testing.T, calls []chat.ToolCall) (read []chat.ToolCall) {
	for _, event := range w.events(calls) {
		var chunk struct {
			Choices []struct {
				Delta struct {
					Calls []struct {
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
			}
		}
		if event == "[DONE]" {
			break
		}
		if err := json.Unmarshal([]byte(event), &chunk); err != nil {
			t.Fatal(err)
		}
		for _, f := range chunk.Choices[0].Delta.Calls {
			last := len(read) - 1
			if f.Function.Name != "" && !(last >= 0 && read[last] == (chat.ToolCall{Name: f.Function.Name, ID: f.ID}) && f.ID != "") {
				read = append(read, chat.ToolCall{ID: f.ID, Name: f.Function.Name})
				last++
			}
			read[last].Arguments += f.Function.Arguments
		}
	}
	return read
}

// TestStreamedCalls streams calls in every way that servers are known to have, and in combinations of them. Each call comes whole, as
// one call. Where a stream does not show what belongs together, the answer may be malformed, or be read in order.
func TestStreamedCalls(t *testing.T) {
	now, day := chat.ToolCall{Name: "now"}, chat.ToolCall{Name: "day"}
	otters, gulls := chat.ToolCall{Name: "find", Arguments: `{"of":"otters"}`}, chat.ToolCall{Name: "find", Arguments: `{"of":{"sea":"gulls}"}}`}
	request := &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Text: "otters?"}}}
	var answer http.HandlerFunc
	m := serve(t, func(w http.ResponseWriter, r *http.Request) { answer(w, r) }).model()
	tried := map[string]int{}
	for _, calls := range [][]chat.ToolCall{{now, otters}, {otters, now}, {otters, gulls}, {now, day}, {otters, now, gulls}, {now, now}} {
		for w := range callWires() {
			answer = events(w.events(calls)...)
			resp, err := m.Generate(t.Context(), request, func(chat.Delta) {})
			why := w.open(calls)
			malformed := chat.IsKind(err, chat.Malformed)
			switch {
			case malformed && why != "":
				tried["refused"]++
			case err != nil:
				t.Errorf("%v: %v: %v", calls, w, err)
			case sameCalls(resp.Message.Calls, calls):
				tried["right"]++
			case why != "" && sameCalls(resp.Message.Calls, w.inOrder(t, calls)):
				tried["read in order"]++
			default:
				t.Errorf("%v: %v:\n%v\n%s", calls, w, resp.Message.Calls, strings.Join(w.events(calls), "\n"))
			}
		}
	}
	t.Logf("%v", tried)
}

func callWires() func(func(callWire) bool) {
	return func(yield func(callWire) bool) {
		total := len(wireIndex) * len(wireID) * len(wireName) * len(wireNone) * len(wireWhole) * len(wireOrder)
		for n := range total {
			var w callWire
			for _, d := range []struct {
				to   *int
				size int
			}{{&w.index, len(wireIndex)}, {&w.id, len(wireID)}, {&w.name, len(wireName)}, {&w.none, len(wireNone)},
				{&w.whole, len(wireWhole)}, {&w.order, len(wireOrder)}} {
				*d.to, n = n%d.size, n/d.size
			}
			if !yield(w) {
				return
			}
		}
	}
}

// sameCalls compares names and arguments; calls without arguments may come as {}.
func sameCalls(got, want []chat.ToolCall) bool {
	return slices.EqualFunc(got, want, func(g, w chat.ToolCall) bool {
		return g.Name == w.Name && (g.Arguments == w.Arguments || w.Arguments == "" && g.Arguments == "{}")
	})
}
