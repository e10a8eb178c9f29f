package golden_test

import (
	"context"
	"encoding/json"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/say"
	"github.com/graphgen/graphgen/runtime/codec"
)

func newSay(t *testing.T) *say.Say {
	t.Helper()
	m, err := say.NewSay()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func sayInput() say.SayInput {
	note := "rivers"
	return say.SayInput{Topic: "otters", Files: []string{"x", "y"}, Note: &note, Mood: say.MoodHurried, Best: say.Hit{Name: "a", Score: 0.5}, Raw: []byte("1")}
}

// A payload is a generated struct in the process of the run, and is read into the same struct in another one.
func TestPayload(t *testing.T) {
	in := sayInput()
	want := say.SayFoundPayload{N: 2, Names: in.Files, Mood: in.Mood, Note: in.Note, Best: in.Best}
	found := 0
	for e := range newSay(t).Stream(t.Context(), in).Events() {
		if e.Kind != graphgen.Say || e.Node != "found" {
			continue
		}
		found++
		if p, ok := graphgen.Payload[say.SayFoundPayload](e); !ok || !reflect.DeepEqual(p, want) {
			t.Errorf("the payload is %#v, want %#v", p, want)
		}
		if _, ok := graphgen.Payload[say.SaySilentPayload](e); ok || graphgen.State[say.SayState](e) == nil {
			t.Error("the payload is that of another node, or the event has no state")
		}
		line, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		var members struct{ Payload json.RawMessage }
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatal(err)
		}
		var got say.SayFoundPayload
		if err := codec.Unmarshal(members.Payload, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %#v, %v", members.Payload, got, err)
		}
	}
	if found != 1 {
		t.Errorf("node found sent %d messages, want 1", found)
	}
}

// An event of a buffer has its payload, and no state.
func TestPayloadInBuffer(t *testing.T) {
	var names []string
	for e := range newSay(t).Stream(t.Context(), sayInput()).Buffered(100).Events() {
		if e.Kind == graphgen.RunEnd {
			continue
		}
		if graphgen.State[say.SayState](e) != nil {
			t.Errorf("event %s of %s has a state", e.Kind, e.Node)
		}
		if p, ok := graphgen.Payload[say.SayFoundPayload](e); ok {
			names = p.Names
		}
	}
	if !slices.Equal(names, []string{"x", "y"}) {
		t.Errorf("the payload has the names %q", names)
	}
}

// What an observer appends to a list of a payload does not reach the state.
func TestPayloadIsClipped(t *testing.T) {
	in := sayInput()
	in.Files = append(make([]string, 0, 8), in.Files...)
	_, err := newSay(t).Run(t.Context(), in, graphgen.WithObserver(func(e graphgen.Event) {
		if p, ok := graphgen.Payload[say.SayFoundPayload](e); ok {
			_ = append(p.Names, "z")
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got := in.Files[:3][2]; got != "" {
		t.Errorf("the array of the caller has %q after its list", got)
	}
}

// A run without observers writes no message.
func TestNoMessageUnobserved(t *testing.T) {
	in, m := sayInput(), newSay(t)
	const size = 1 << 20
	in.Raw = []byte(`"` + strings.Repeat("x", size) + `"`)
	allocated := func(opts ...graphgen.RunOption) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := m.Run(context.Background(), in, opts...); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if got := allocated(graphgen.WithObserver(func(graphgen.Event) {})); got < size {
		t.Errorf("an observed run has allocated %d bytes, want those of its longest message", got)
	}
	if got := allocated(); got >= size {
		t.Errorf("a run that is not observed has allocated %d bytes", got)
	}
}
