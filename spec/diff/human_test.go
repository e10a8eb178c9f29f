package diff_test

import (
	"strings"
	"testing"
)

// people is what the tests of nodes that ask a person change one thing of.
const people = `graph: g
entry: ask
state: {topic: string}
input: [topic]
nodes:
  ask: {kind: human, instructions: "Publish {{topic}}?", timeout: 1h, on_deny: no, on_timeout: no, next: yes}
  yes: {reads: topic}
  no: {reads: topic}
`

func TestWhatAChangeOfPeopleMeans(t *testing.T) {
	for name, tt := range map[string]struct {
		old, new string // text that is replaced, and what by
		want     string
	}{
		"the question":                {"Publish {{topic}}?", "Print {{topic}}?", "nodes\n  ~ ask: instructions: Publish {{topic}}? → Print {{topic}}?\n"},
		"how long an answer may take": {"timeout: 1h", "timeout: 2h", "nodes\n  ~ ask: timeout: 1h0m0s → 2h0m0s\n"},
		"where a no leads": {"on_deny: no", "on_deny: end",
			"edges\n  + ask: to end when the person denies\n  - ask: to no when the person denies\n"},
		"a late answer that fails":  {", on_timeout: no", "", "edges\n  - ask: to no when the answer is late\n"},
		"a reply in place of a yes": {"on_deny: no", "output: string", "nodes\n  ~ ask: output: none → string\nedges\n  - ask: to no when the person denies\n"},
	} {
		t.Run(name, func(t *testing.T) {
			after := strings.Replace(people, tt.old, tt.new, 1)
			if after == people {
				t.Fatal("nothing is replaced")
			}
			if got := between(t, people, after); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}
