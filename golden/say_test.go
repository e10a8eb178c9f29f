package golden_test

import (
	"context"
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/golden/say"
	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/eventjson"
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
	want := say.SayFoundSaid{N: 2, Names: in.Files, Mood: in.Mood, Note: in.Note, Best: in.Best}
	found := 0
	for e, err := range newSay(t).Stream(t.Context(), in) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != graphrt.Said || e.Node != "found" {
			continue
		}
		found++
		if !reflect.DeepEqual(e.Payload, want) {
			t.Errorf("the payload is %#v, want %#v", e.Payload, want)
		}
		line, err := eventjson.Append(nil, &e)
		if err != nil {
			t.Fatal(err)
		}
		var members struct{ Payload json.RawMessage }
		if err := json.Unmarshal(line, &members); err != nil {
			t.Fatal(err)
		}
		var got say.SayFoundSaid
		if err := codec.Unmarshal(members.Payload, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %#v, %v", members.Payload, got, err)
		}
	}
	if found != 1 {
		t.Errorf("node found said %d messages, want 1", found)
	}
}

// What an observer appends to a list of a payload does not reach the state.
func TestPayloadIsClipped(t *testing.T) {
	in := sayInput()
	in.Files = append(make([]string, 0, 8), in.Files...)
	_, err := newSay(t).Run(t.Context(), in, graphrt.WithObserver(func(e graphrt.Event) {
		if p, ok := e.Payload.(say.SayFoundSaid); ok {
			_ = append(p.Names, "z")
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got := in.Files[:3][2]; got != "" {
		t.Errorf("the array of the caller has %q behind its list", got)
	}
}

// A run without observers writes no message.
func TestNothingIsSaidUnobserved(t *testing.T) {
	in, m := sayInput(), newSay(t)
	const size = 1 << 20
	in.Raw = []byte(`"` + strings.Repeat("x", size) + `"`)
	allocated := func(opts ...graphrt.Option) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := m.Run(context.Background(), in, opts...); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if got := allocated(graphrt.WithObserver(func(graphrt.Event) {})); got < size {
		t.Errorf("an observed run has allocated %d bytes, want those of its longest message", got)
	}
	if got := allocated(); got >= size {
		t.Errorf("a run that is not observed has allocated %d bytes", got)
	}
}
