package check_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/diag"
)

// TestBorders has specs that a check barely accepts, and barely refuses.
func TestBorders(t *testing.T) {
	const retry = `
graph: g
entry: again
state: {text: string}
input: text
nodes:
  again: {kind: retry, body: one, timeout: 1m}
  one: {reads: text, timeout: 1h, KEYS}
`
	const refined = `
graph: g
entry: refine
state: {text: string}
input: text
output: text
limits: {max_steps: 20, KEYS}
nodes:
  refine: {kind: loop, body: improve, until: out.Text == "", max_iterations: 30, next: end}
  improve: {reads: text, writes: text}
`
	const picked = `
graph: g
entry: pick
state: {text: string}
input: text
limits: {max_steps: 20, KEYS}
nodes:
  pick: {kind: autonomous, instructions: Go on., pool: [a, b], max_steps: 30, next: end}
  a: {reads: text}
  b: {reads: text}
`
	const exhausted = `
graph: g
entry: draft
state: {text: string}
input: text
nodes:
  draft: {reads: text, max_visits: KEYS}
  fix: {reads: text, next: draft}
  polish: {reads: text, output: {good: bool}, next: draft}
  publish: {reads: text}
edges:
  - {from: draft, to: fix, max_iterations: 2}
  - {from: draft, to: polish, max_iterations: 2}
  - {from: draft, to: fix, on: error, max_iterations: 3}
  - {from: polish, to: publish, if: out.Good, priority: 1}
`
	const spent = `
graph: g
entry: work
state: {text: string}
input: text
nodes:
  work: {kind: loop, body: [KEYS], until: state.Text == "", max_iterations: 2, next: done}
  ask: {kind: prompt, instructions: x}
  n2: {reads: text}
  n3: {reads: text}
  n4: {reads: text}
  n5: {reads: text}
  n6: {reads: text}
  n7: {reads: text}
  n8: {reads: text}
  n9: {reads: text}
  fix: {reads: text, output: {ok: bool}}
  done: {reads: text, next: end}
edges:
  - {from: work, to: fix, on: budget}
  - loop_until: {node: fix, exit: done, if: out.Ok, max_iterations: 20}
limits: {max_steps: 25, max_tokens: 1000}
`
	const unread = `
graph: g
entry: first
state: {text: string, x: {type: string, default: none}}
input: text
tools: {look: }
nodes:
  work: {kind: loop, body: [w, ask], until: state.Text == "", max_iterations: 2, next: end, transitions: {error: rescue}}
  first: {kind: prompt, instructions: x, tools: look, next: work}
  w: {reads: text, writes: x, fail_soft: true}
  ask: {kind: prompt, instructions: x, fail_soft: true, KEYS}
  rescue: {reads: x}
`
	const routed = `
graph: g
entry: again
state: {text: string}
input: text
nodes:
  again: {kind: retry, body: [a, tidy, sort, b, c]}
  a: {reads: text, fail_soft: true}
  tidy: {reads: text, KEYS}
  sort: {kind: router, reads: text, routes: [b, c], flags: [skip_on_error]}
  b: {reads: text}
  c: {reads: text}
`
	for name, test := range map[string]struct{ spec, keys, want string }{
		"a person waits longer than the node around it": {retry, "kind: human, instructions: 'Go on?'", ""},
		"a handler cannot":                              {retry, "fail_soft: true", "GG230"},
		"steps used up in a loop are an error":          {refined, "on_max_steps: error", "GG230"},
		"unless the spec states what happens":           {refined, "on_max_steps: last", ""},
		"or that the result says so":                    {refined, "on_max_steps: flag", ""},
		"steps used up in a pool are an error":          {picked, "on_max_steps: error", "GG230"},
		"unless the spec states it":                     {picked, "on_max_steps: last", ""},
		"a router after a node that fails softly":       {routed, "fail_soft: true", "GG255"},
		"a router after one that is skipped, too":       {routed, "flags: [skip_on_error]", "GG255"},
		"but not after one that runs":                   {routed, "timeout: 1m", ""},
		"edges after a failure do not keep others open": {exhausted, "5", "GG291"},
		"nor are the edges used up in as many visits":   {exhausted, "4", ""},
		"a spent budget leaves a node early":            {spent, "ask, n2, n3, n4, n5, n6, n7, n8, n9", ""},
		"at the last of its nodes it does not":          {spent, "n2, n3, n4, n5, n6, n7, n8, n9, ask", "GG292"},
		"used-up visits do not fail softly":             {unread, "tools: look", ""},
		"what calls no tools does not use them up":      {unread, "flags: [lightweight]", "GG103"},
	} {
		t.Run(name, func(t *testing.T) {
			var codes []string
			found := diag.WithoutNotes(judge("g.graph.yaml", []byte(strings.ReplaceAll(test.spec, "KEYS", test.keys))))
			for _, d := range found {
				codes = append(codes, d.Code)
			}
			if got := strings.Join(codes, " "); got != test.want {
				t.Errorf("want %q:\n%s", test.want, text(found))
			}
		})
	}
}
