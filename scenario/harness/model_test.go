package harness

import (
	"slices"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/scenario/wire"
)

func TestJudgeChoices(t *testing.T) {
	whens := []string{"it is good", "it is good: enough", "it has\nseveral lines", "2: a number"}
	for name, c := range map[string]struct {
		shown string
		want  []string
	}{
		"one":                          {"1: it is good", []string{"it is good"}},
		"with none":                    {"1: it is good\nnone: none of the above", []string{"it is good", "none"}},
		"one that begins like another": {"1: it is good: enough\n2: it is good", []string{"it is good: enough", "it is good"}},
		"one of several lines": {"1: it has\nseveral lines\n2: it is good\nnone: none of the above",
			[]string{"it has\nseveral lines", "it is good", "none"}},
		"one that looks like its number": {"1: 2: a number\n2: it is good", []string{"2: a number", "it is good"}},
		"one that nobody knows":          {"1: another\n2: it is good", []string{"another", "it is good"}},
		"none at all":                    {"", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			req := &chat.Request{Messages: []chat.Message{chat.UserText("{}\n\nConditions:\n" + c.shown)}}
			if got := choices(req, whens); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestStreamedAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"of a text":                 {"otters", []string{"ott", "ers"}},
		"never within a character":  {"é", []string{"é"}},
		"one of a single character": {"o", []string{"o"}},
		"none of nothing":           {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			played(c.text, nil, chat.Usage{}, func(d chat.Delta) { got = append(got, d.Text) })
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTurnCallEntries(t *testing.T) {
	s := newScript(&wire.Scenario{Pure: []string{"read"}}, quiet)
	s.toolCalls[place{node: "read"}] = 1
	s.pure[`read {"a":1}`] = []string{""}
	calls := []wire.Call{
		{Name: "read", Arguments: `{"a":1}`}, // answered before
		{Name: "read", Arguments: `{"a":2}`},
		{Name: "find", Arguments: `{}`},
		{Name: "read", Arguments: `{"a":2}`}, // answered in this turn
		{Name: "read", Arguments: `{"a":3}`},
		{Name: "find", Arguments: `{}`},
		{Name: "hidden", Arguments: `{}`}, // not offered
		{Name: "hidden", Arguments: `{}`},
	}
	req := &chat.Request{Tools: []chat.ToolSpec{{Name: "read"}, {Name: "find"}}}
	turn := s.strand("")
	made := s.callsOf(place{}, turn, calls, req)
	var entries []int
	for _, d := range turn.due {
		entries = append(entries, d.entry)
	}
	if want := []int{1, 1, 0, 2, 2, 1, 0, 0}; !slices.Equal(entries, want) {
		t.Errorf("the entries are %v, want %v", entries, want)
	}
	if made[0].ID == made[1].ID || made[7].ID != "call-8" {
		t.Errorf("the calls are %v", made)
	}
}
