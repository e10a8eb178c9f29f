package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/scenario/wire"
)

// A ToolCall is a call of a tool. Arguments and Out are pointers, Arguments nil where the
// tool has none.
type ToolCall struct {
	Context   context.Context
	Name      string
	Arguments any
	Out       any
}

// CallTool does what the script has for this call of the tool: entry after entry, the last
// one again and again. Several goroutines may call it at once.
func (s *Script) CallTool(c ToolCall) error {
	e := s.toolEntry(c.Context, c.Name, s.known.encode(c.Arguments))
	if err := s.playTool(c.Context, e); err != nil {
		return err
	}
	if err := s.known.decode(e.Result, c.Out); err != nil {
		return s.toolMistake(err)
	}
	return nil
}

func (s *Script) toolMistake(err error) error {
	s.calling.Lock()
	defer s.calling.Unlock()
	return s.mistake(err.Error())
}

// A due call is one of the last turn, and the entry that it is to have: the calls of a turn
// run at once, and still have the entries in their order.
type dueCall struct {
	wire.Call
	entry int
	done  bool
}

// callsOf makes the calls of an answer, and gives them their entries. A call that a pure
// tool has answered before, or answers in this turn, has none.
func (s *Script) callsOf(calls []wire.Call, req *chat.Request) []chat.ToolCall {
	if len(calls) == 0 {
		return nil
	}
	s.calling.Lock()
	defer s.calling.Unlock()
	s.due = nil
	seen, made := map[string]bool{}, map[string]int{}
	var list []chat.ToolCall
	for _, c := range calls {
		s.callIDs++
		list = append(list, chat.ToolCall{ID: "call-" + strconv.Itoa(s.callIDs), Name: c.Name, Arguments: c.Arguments})
		s.due = append(s.due, dueCall{Call: c, entry: s.toolCalls[c.Name] + made[c.Name]})
		key := c.Name + " " + c.Arguments
		again := slices.Contains(s.scenario.Pure, c.Name) && (seen[key] || s.pure[key])
		offered := slices.ContainsFunc(req.Tools, func(t chat.ToolSpec) bool { return t.Name == c.Name })
		if seen[key] = true; !again && offered {
			made[c.Name]++
		}
	}
	return list
}

// toolEntry finds the entry of a call, and notes the call.
func (s *Script) toolEntry(ctx context.Context, name string, arguments wire.Value) *wire.ToolEntry {
	s.calling.Lock()
	defer s.calling.Unlock()
	info, number := graphrt.Info(ctx), callNumber(ctx)
	index, key := s.toolCalls[name], ""
	if number < len(s.due) && s.due[number].Name == name && !s.due[number].done {
		d := &s.due[number]
		index, key, d.done = d.entry, name+" "+d.Arguments, true
	}
	s.toolCalls[name]++
	s.spent.ToolCalls = append(s.spent.ToolCalls, wire.ToolCall{Name: name, Arguments: arguments, Step: info.Step, Attempt: info.Attempt, Number: number})
	e := new(wire.ToolEntry)
	if entries := s.scenario.Tools[name]; len(entries) > 0 {
		e = &entries[min(index, len(entries)-1)]
	}
	if e.Error == nil && e.Panic == nil && !e.Hang {
		s.pure[key] = true
	}
	return e
}

// callNumber is which call of its turn a context belongs to: the end of the call's key.
func callNumber(ctx context.Context) int {
	key := graphrt.IdempotencyKey(ctx)
	n, err := strconv.Atoi(key[strings.LastIndexByte(key, '/')+1:])
	if err != nil {
		return 0
	}
	return n
}

func (s *Script) playTool(ctx context.Context, e *wire.ToolEntry) error {
	if e.Takes > 0 {
		time.Sleep(time.Duration(e.Takes))
	}
	if e.Hang {
		<-ctx.Done()
		if e.Error == nil && e.Panic == nil {
			return ctx.Err()
		}
	}
	switch {
	case e.Panic != nil:
		panic(*e.Panic)
	case e.Error != nil && e.Fatal:
		return chat.Fatal(errors.New(*e.Error))
	case e.Error != nil:
		return errors.New(*e.Error)
	}
	return nil
}

// Tools returns the tools known only at run time.
func (s *Script) Tools(context.Context) ([]chat.Tool, error) {
	var tools []chat.Tool
	for i := range s.scenario.Inject {
		tools = append(tools, &injected{s, &s.scenario.Inject[i]})
	}
	return tools, nil
}

// An injected tool is one known only at run time.
type injected struct {
	script *Script
	tool   *wire.Injected
}

// Spec describes the tool to models.
func (t *injected) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: t.tool.Name, Doc: t.tool.Doc, Schema: t.tool.Schema}
}

// Call does what the script has for this call.
func (t *injected) Call(ctx context.Context, arguments string) (chat.ToolResult, error) {
	e := t.script.toolEntry(ctx, t.tool.Name, quoteJSONValue(canonical([]byte(arguments))))
	if err := t.script.playTool(ctx, e); err != nil {
		return chat.ToolResult{}, err
	}
	var text string
	if len(e.Result) > 0 {
		if err := json.Unmarshal(e.Result, &text); err != nil {
			return chat.ToolResult{}, t.script.toolMistake(err)
		}
	}
	return chat.ToolResult{Text: text}, nil
}

func quoteJSON(text string) string { return string(quoteJSONValue(text)) }

func quoteJSONValue(text string) wire.Value {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be written
	}
	return data
}

// sortCalls puts calls that ran at once into the order of their turn.
func sortCalls(calls []wire.ToolCall) {
	slices.SortStableFunc(calls, func(a, b wire.ToolCall) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.Number, b.Number))
	})
}
