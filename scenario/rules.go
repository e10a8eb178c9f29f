package scenario

import (
	"embed"

	"github.com/graphgen/graphgen/spec/diag"
)

// RuleSpec is the spec, review.graph.yaml, for the examples of Rules.
const RuleSpec = `graph: review
entry: draft
state:
  topic: string
  grade: {enum: [low, high]}
  tags: {type: "[]string", merge: custom}
  tag: string
  weights: {type: "[]int", merge: append}
input: [topic]
output: [weights]
nodes:
  draft: {reads: [topic], writes: [grade, tags]}
  check: {kind: guard, reads: [grade], on_fail: draft, max_visits: 3}
  judge: {kind: router, reads: [grade], routes: [draft, publish]}
  publish: {reads: [tags]}
  sort: {kind: map, over: tags, item: tag, body: [weigh, tidy]}
  weigh: {reads: [tag], writes: [weights]}
  tidy: {kind: transform, reads: [tag], writes: [weights]}
edges:
  - {from: draft, to: check}
  - {from: check, to: judge}
  - {from: publish, to: sort}
`

//go:embed rules/*.md
var pages embed.FS

// Rules returns the rules of scenario files. Test also reports mistakes of YAML, with the codes of the
// spec's reader, and mistakes of specs.
func Rules() []diag.Rule { return diag.ReadRules(pages) }
