package harness

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/scenario/wire"
)

// composed is a plan with a parallel of the branches "left", in which a map runs "each", and
// "right"; and with another map, of "other".
var composed = wire.Scenario{Places: map[string]wire.Place{
	"left":  {Branch: "left", Levels: []wire.Level{{Parent: 1, Index: 0}}},
	"each":  {Levels: []wire.Level{{Parent: 1, Index: 0}, {Parent: 2, Index: wire.Element}}},
	"right": {Branch: "right", Levels: []wire.Level{{Parent: 1, Index: 1}}},
	"other": {Levels: []wire.Level{{Parent: 3, Index: wire.Element}}},
}}

func TestConcurrentEvents(t *testing.T) {
	for name, c := range map[string]struct{ happened, want string }{
		"what happens outside of branches stays where it is": {"b a", "b a"},
		"branches stand in the order of the spec":            {"a right@right left@left b", "a left@left right@right b"},
		"and keep an order within": {"right@right:1 left@left:2 right@right:3 left@left:4",
			"left@left:2 left@left:4 right@right:1 right@right:3"},
		"elements stand in the order of the list": {"other@10 other@2 other@0", "other@0 other@2 other@10"},
		"a map in a branch stands within it": {"left@left:1 each@left/1 right@right each@left/0 left@left:2",
			"left@left:1 each@left/0 each@left/1 left@left:2 right@right"},
		"branches of one time are not mixed with another's": {"right@right:1 left@left:2 a right@right:3 left@left:4",
			"left@left:2 right@right:1 a left@left:4 right@right:3"},
		"nor those of one node with those of the one behind": {"right@right left@left other@1 other@0", "left@left right@right other@0 other@1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(&composed, quiet)
			var list []placed[string]
			for _, what := range strings.Fields(c.happened) {
				node, branch, _ := strings.Cut(what, "@")
				branch, _, _ = strings.Cut(branch, ":")
				list = append(list, placed[string]{what, s.key(place{node, branch})})
			}
			if got := strings.Join(inOrder(list), " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFirstEntryOfBranch(t *testing.T) {
	w := composed
	panics := func(texts ...string) (s wire.Steps[wire.Entry]) {
		for _, text := range texts {
			s.Entries = append(s.Entries, wire.Entry{Panic: &text})
		}
		return s
	}
	w.Script = map[string]wire.Steps[wire.Entry]{
		"other": panics("a", "b"),
		"each":  {Each: []wire.Steps[wire.Entry]{panics("c", "d"), panics("e")}},
	}
	s := newScript(&w, quiet)
	var got []string
	for _, at := range []place{{"other", "0"}, {"other", "1"}, {"other", "1"}, {"other", "0"}, {"other", "0"}, {"each", "left/0"},
		{"each", "left/3"}, {"each", "left/0"}, {"each", "left/1"}} {
		got = append(got, *s.begin(at.node, at).current.Panic)
	}
	if want := "a a b b b c e d e"; strings.Join(got, " ") != want {
		t.Errorf("the entries are %v, want %s", got, want)
	}
	if used := s.result.Calls; !slices.Equal(used["other"], []int{3}) || !slices.Equal(used["each"], []int{2, 1}) {
		t.Errorf("used are %v", used)
	}
}

func TestUnknownBranchCall(t *testing.T) {
	s := newScript(&composed, quiet)
	s.pure["read {}"] = []string{"left/0"}
	for branch, want := range map[string]bool{"": true, "left": true, "left/0": true, "left/0/1": true, "left/01": false, "left/1": false, "right": false} {
		if got := s.answered("read {}", place{"each", branch}); got != want {
			t.Errorf("in branch %q: %t", branch, got)
		}
	}
}

func TestTouchingSpans(t *testing.T) {
	start := time.Unix(0, 0)
	for name, c := range map[string]struct {
		spans [][2]int
		want  int
	}{
		"none":                          {nil, 0},
		"one":                           {[][2]int{{0, 1}}, 1},
		"one after the other":           {[][2]int{{1, 2}, {0, 1}}, 1},
		"one within the other":          {[][2]int{{0, 9}, {3, 4}}, 2},
		"three, of which two at a time": {[][2]int{{0, 2}, {1, 3}, {2, 4}}, 2},
		"all at once":                   {[][2]int{{0, 2}, {0, 3}, {0, 1}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var spans []span
			for _, s := range c.spans {
				spans = append(spans, span{start.Add(time.Duration(s[0])), start.Add(time.Duration(s[1]))})
			}
			if got := mostAtOnce(spans); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestPoolChoices(t *testing.T) {
	for name, c := range map[string]struct{ schema, member, offered string }{
		"an enum":            {`{"type":"object","properties":{"next":{"type":"string","enum":["a","end"]}}}`, "next", "a end"},
		"no enum":            {`{"type":"object","properties":{"next":{"type":"string"}}}`, "", ""},
		"more than a choice": {`{"properties":{"a":{"enum":["x"]},"b":{"enum":["x"]}}}`, "", ""},
		"no schema":          {`{`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			member, offered, err := ballot(request(c.schema))
			if member != c.member || strings.Join(offered, " ") != c.offered || (err != nil) != (c.member == "") {
				t.Errorf("got %q, %q, %v", member, offered, err)
			}
		})
	}
}

func TestChoiceInAnswer(t *testing.T) {
	for text, want := range map[string]bool{
		`{"route":"a"}`: true, "Well:\n```json\n{\"route\": \"end\"}\n```": true, `{"route":"b"}`: false, `{"rout":"a"}`: false, "a": false, "": false,
	} {
		if got := picks(text, "route", []string{"a", "end"}); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

func request(schema string) *chat.Request {
	return &chat.Request{Output: &chat.Schema{Name: "choice", JSON: schema}}
}
