package pairwise

// A value of a key, and what it makes sense with.
type value struct {
	text string
	with keys
}

func plain(texts ...string) []value {
	out := make([]value, len(texts))
	for i, text := range texts {
		out[i] = value{text: text}
	}
	return out
}

func needing(with keys, texts ...string) []value {
	out := plain(texts...)
	for i := range out {
		out[i].with = with
	}
	return out
}

// baselines are what a node of a kind cannot do without.
var baselines = map[string]keys{
	"func":       {"reads": "text"},
	"transform":  {"reads": "text", "writes": "note"},
	"guard":      {"reads": "text"},
	"router":     {"reads": "text", "routes": "[after, other]"},
	"prompt":     {"instructions": "Say it.", "message": `"{{text}}"`},
	"tool":       {"tool": "find", "args": "{query: text}"},
	"parallel":   {"branches": "{left: c1, right: c2}"},
	"map":        {"over": "items", "item": "item", "body": "c1"},
	"loop":       {"body": "c1", "until": "state.Count > 3"},
	"retry":      {"body": "c1"},
	"subgraph":   {"graph": "p$n", "in": "$in", "max_depth": "2"},
	"autonomous": {"instructions": "Go on.", "pool": "[c1, c2]"},
	"human":      {"instructions": "Approve."},
	"pass":       {},
	"set":        {"set": "{count: state.Count + 1}"},
	"say":        {"say": `"About {{text}}."`},
}

// wrappers are the nodes that run x, by their kinds; w is the kind. c3 follows a router.
var wrappers = map[string]string{
	"loop":       "{kind: $w, body: $x, max_iterations: 2, until: state.Count > 1}",
	"retry":      "{kind: $w, body: [$x, c3]}",
	"map":        "{kind: $w, over: items, item: item, body: $x}",
	"parallel":   "{kind: $w, branches: {left: $x, right: c1}}",
	"autonomous": "{kind: $w, instructions: Go on., pool: [$x, c1]}",
}

// helpers are nodes that a spec has where it names them.
var helpers = map[string]string{
	"calls": "{kind: tool, next: after}", "tmpl": "{reads: text, writes: log}",
	"sort": "{kind: router, reads: text, routes: [c1, c2, end], fail_soft: true}", "choose": "{kind: router, instructions: Choose., routes: [c2, end]}",
}

// stateFields are the fields of the state that a spec has where it names them.
var stateFields = keys{
	"text": "string", "count": "int", "done": "bool", "rate": "float", "grade": "Grade$n", "maybe": `"?int"`, "items": `"[]string"`, "item": "string",
	"due": "time", "took": "duration", "raw": "any", "blob": "bytes", "shape": `"?Shape$n"`, "report": `"?Report$n"`,
	"reports": `{type: "[]Report$n", merge: append}`, "signed": `"?Signed$n"`, "signers": `{type: "[]Signed$n", merge: append}`,
	"chat": "messages", "side": "{type: messages, merge: append}", "said": "message", "pinned": `"?message"`,
	"pic": `"?image"`, "shots": `{type: "[]image", merge: append}`, "file": "pdf", "secret": "{type: string, private: true}",
	"note": "string", "log": `{type: "[]string", merge: append}`, "seen": `{type: "[]string", merge: union}`, "sum": "{type: int, merge: sum}",
	"top": `{type: "?int", merge: max}`, "low": `{type: "?int", merge: min}`, "tags": `{type: "map[string]int", merge: union}`,
	"own": "{type: string, merge: custom}",
}

// declared are the types that a spec has where it names them.
var declared = keys{
	"Grade$n":  "{enum: [high, low], renamed_from: {low: least}}",
	"Signed$n": "{decision: string, by: string, at: time, note: string}",
	"Report$n": "{score: {type: int, min: 1, max: 5}, confidence: float, grade: Grade$n, done: bool, note: string}",
	"Shape$n":  "{union: {circle: {radius: float}, square: {side: int, sort: Grade$n}}}",
	"Loose$n":  "{note: string, count: int}",
}

// texts are docs, labels and the like: some are more than text where they are printed as they are.
var texts = plain(`Says what it does.`, `" "`, `"\0"`, `"\xA0"`, `"\U0010FFFF"`, `"*/ x"`, `"a\n\n  b\n# c\n - d"`, `"go:embed x"`, `"+build x"`)

// rowValues are the values of rows whose form does not give enough of them.
var rowValues = map[string][]value{
	"node.reads": append(plain("[text]", "[text, count, grade]", "[due, took, raw, blob]", "[maybe, shape, report]",
		"[log, tags, reports]", "[chat, pinned]", "[pic, shots, file, text]"), needing(keys{"message": `"{{text}} {{raw}} {{reports}}"`}, "[count]")...),
	"node.writes": plain("note", "[note, sum]", "log", "[seen, tags]", "[top, low]", "own", "report", "reports", "shape",
		"[raw, due, took, blob]", "[]", "[chat, pinned]", "side", "pic", "[shots, file, note]"),
	"node.output": plain("Report$n", "Grade$n", "Shape$n", "Loose$n", "string", "int", "bool", "time", "any", `"[]string"`,
		`"?int"`, `"map[string]int"`, `"[]Report$n"`, "{note: string}", "{note: string, sum: int, grade: Grade$n}",
		"{next_step: {enum: [after, other]}}", `{_next: string, note: string}`, `{route: "?string", note: string}`, "{go: io.Reader}"),
	"node.set": plain("{note: 'state.Text', sum: len(state.Items)}", "{log: '[]string{state.Text}', top: '3'}",
		"{maybe: state.Maybe, grade: Grade$nHigh, rate: '0.5', done: 'true'}",
		"{took: 3*time.Second, due: state.Due, own: 'state.Text', tags: state.Tags}", "{report: state.Report, items: 'state.Items[1:]', seen: state.Items}",
		"{chat: 'state.Chat[1:]', side: state.Chat, pinned: state.Pinned}", "{pic: state.Pic, shots: state.Shots, file: state.File}"),
	"node.say": plain(`"{{text}} {{raw}} {{reports}} {{maybe}} {{grade}} {{shape}} {{report}}"`,
		`"{{due}} {{took}} {{blob}} {{rate}} {{count}} {{done}} {{items}} {{tags}}"`, `"{{{{text}}"`, `"a\n\"{{text}}\"\n"`, `"{{chat}} {{pinned}}"`),
	"node.payload": plain("{text: text}", "{a: count, b: grade, c: maybe, d: reports, e: rate, f: done}",
		"{due: due, took: took, raw: raw, blob: blob}", "{shape: shape, report: report, tags: tags, items: items}",
		"{type: text, r: count, s: note, payload: log}", "{chat: chat, one: pinned, pic: pic, all: shots, file: file}"),
	"node.goto":   plain("[after, other]", "[after, end]", "other"),
	"node.routes": plain("[after, other]", "[after, end]", "[other]", "[c3]", "[c3, end]"),
	"node.transitions": append(plain("{error: other}", "{error: end}"),
		needing(keys{"output": "Report$n", "next": "after"}, "{done: other}", "{done: end, error: other}", "{note: other}")...),
	"node.next":    plain("after", "end"),
	"node.on_pass": plain("after", "end"),
	"node.on_fail": plain("other", "end"),
	"node.guards": append(needing(keys{"writes": "note"}, "[sane]", "[sane, safe]", "[sane, {safe: {reads: [text, items]}}]",
		"[{safe: {reads: [secret, chat, pic]}}, sane]",
		"[sane, {fine: {judge: It is fine., reads: [text, items]}}]"), needing(keys{"output": "Report$n"}, "[sane]",
		"[{safe: {reads: [text, items]}}]", "[{fine: {judge: It is fine.}}]")...),
	"node.guard_retries": needing(keys{"writes": "note", "guards": "[sane]"}, "1", "2"),
	"node.body":          plain("c1", "[c1, c2]", "[c1, c2, c3]", "[sort, c1, c2]", "[c1, choose, c2]", "{entry: c1}", "{entry: c3}"),
	"node.until":         plain("state.Count > 3", "'state.Text == \"x\"'", "res.Iterations > 1", "out.Score > 1"),
	"node.branches": plain("{left: c1, right: c2}", "{left: [c1, c2], right: c3}", "{err: c1, ctx: c2, gg: c3}",
		"{r: c1, m: c2, slices: c3}", "{one: c1}", "{left: [sort, c1, choose, c2], right: c3}",
		"{left: {run: [c1, c2], if: state.Count > 3}, right: c3}", "{left: {entry: c1}, right: {entry: c3, if: 'len(state.Items) > 1'}}"),
	"node.over":         append(plain("items"), needing(keys{"item": "said"}, "chat")...),
	"node.item":         append(plain("item"), needing(keys{"over": "chat"}, "said")...),
	"node.graph":        plain("p$n"),
	"node.in":           plain("$in"),
	"node.out":          plain("{text: text}", "{count: count}"),
	"node.pool":         plain("[c1, c2]", "[c1, c2, c3]", "c1"),
	"node.entry":        plain("c1"),
	"node.terminal":     plain("[c2]", "[c1, c2]"),
	"node.on_deny":      plain("other", "end"),
	"node.on_timeout":   needing(keys{"timeout": "1h"}, "other", "end"),
	"node.count":        needing(keys{"join": "first"}, "1", "2"),
	"node.instructions": plain(`"Say {{text}}."`, `"{{count}} {{grade}} {{due}} {{reports}} {{maybe}}"`, `"{{{{x}} % \" \0 {{text}}"`),
	"node.message":      plain(`"Say {{text}}."`, `"{{count}} {{grade}} {{due}} {{reports}} {{maybe}}"`, `"{{{{x}} % \" \0 {{text}}"`, "Go on."),
	"node.blocks":       plain(`[{name: style, text: Be brief.}]`, `[{name: a, text: "{{text}}", priority: 2}, {name: b, text: "*/ {{count}}"}]`),
	"node.token_budget": needing(keys{"blocks": "[{name: style, text: Be brief., priority: 1}]"}, "50"),
	"node.inherits":     plain("[other]"),
	"node.tools":        plain("[find]", "[find, look]"),
	"node.allow_tools":  needing(keys{"flags": "[inject_tools]"}, "[beyond]", "[find]"),
	"node.deny_tools":   needing(keys{"flags": "[inject_tools]"}, "[beyond]", "[find]"),
	"node.approve":      needing(keys{"tools": "[find, look]"}, "[find]", "[find, look]"),
	"node.tool_choice":  needing(keys{"tools": "[find]"}, "auto", "none", "required", "find"),
	"node.tool_loop":    needing(keys{"tools": "[find]"}, "true", "false"),
	"node.model":        plain("large"),
	"node.record":       plain("signed", "signers"),
	"node.renamed_from": plain("earlier"),
	"node.before":       plain("[context_enricher]", "[state_summarizer]", "[input_validator]", "[trim]", "[input_validator, trim]"),
	"node.after": append(plain("[json_extractor]", "[confidence_scorer]", "[output_truncator]", "[trim_answer]"),
		needing(keys{"output": "{note: string, sum: int}"}, "[state_writer]")...),
	"node.tool":   plain("find"),
	"node.repair": needing(keys{"output": "Report$n"}, "0", "2", "5"),
	"node.args":   plain("{query: text}", "{query: note}"),
	"node.evals": append(needing(keys{"tools": "[find, look]"}, "{fine: {called: find}}", "{fine: {not_called: [find, look]}}"),
		append(plain("{fine: {if: state.Count > 1}}"), needing(keys{"output": "Report$n"}, "{fine: {judge: It is fine., doc: x}}",
			"{fine: {judge: It is fine., reads: [text, items, maybe, grade]}}", "{fine: {judge: It is fine., reads: [chat, pinned]}}",
			"{fine: {if: out.Score > 1}, short: {judge: Short.}}")...)...),
	"node.history": plain("chat", "side"),

	"graph.on_error":  plain("other", "after"),
	"graph.mode":      plain("static"),
	"graph.model":     plain("large"),
	"graph.ends":      needing(keys{"next": "over"}, "[over]"),
	"graph.assert":    plain("[other runs at most 60 times]", "[$x is reachable]", "[{that: every path to after passes $x, doc: x}]"),
	"mutations.allow": plain("[skip_to]", "[add_node, add_edge]", "[retry_with]", "[remove_edge, remove_node, skip_to, add_edge, retry_with, add_node]"),

	"graph.interrupt_before": plain("[$x]", "[other, after]", "[]"),
	"graph.interrupt_after":  plain("[$x]", "[other, after]", "[]"),

	"mutations.kinds":     plain("[prompt]"),
	"mutations.templates": plain("[tmpl]"),
	"mutations.update":    plain("[note, count]"),
	"mutations.reads":     plain("[text]", "[note, count, sum]"),
	"mutations.writes":    plain("[note]"),
	"mutations.tools":     plain("[find]", "[find, look]"),

	"branch edge.by": plain("grade"),

	"tool.args":    plain("{query: string}", "{query: {type: string, min_length: 2}, size: {type: int, default: 3}}", `{query: string, sort: "?Grade$n"}`),
	"tool.returns": plain("image", `"[]image"`, `"?pdf"`, "messages", "string", "Report$n", "Grade$n", `"[]string"`, "int", "{note: string}", "any"),
	"tool.reads":   plain("text", "[text, maybe, items, grade, report]", "[secret, chat, pic, shots, shape]"),

	"mcp server.command":  plain("[files]", "[npx, -y, files]"),
	"mcp server.url":      plain("https://mcp.example.com", "http://localhost:8080/mcp"),
	"mcp server.env":      plain("TOKEN", "[TOKEN, A | B]"),
	"mcp server.bearer":   plain("TOKEN", "A | B"),
	"json_extractor.keys": plain("[a, b]"),
	"state_writer.fields": plain("{text: note}", "{note: note, sum: sum}"),
	"edge.on_confidence":  plain("0.5", "2", "true"),

	"field.type": plain("string", "int", "float", "bool", "time", "duration", "bytes", "any", `"?string"`, `"[]int"`,
		`"map[string]float"`, `"[]?int"`, `"?Report$n"`, "Shape$n", "Loose$n", "message", "messages", `"?messages"`, "image",
		`"?pdf"`, `"[]audio"`, `"map[string]image"`),
	"field.enum":    plain("[one, two]", "[\"1\", a-b]"),
	"field.struct":  plain("{a: int, b: \"?string\"}", "{type: int, len: string}"),
	"field.union":   plain("{a: {x: int}, b: {y: string}}"),
	"field.default": nil, // by type, in fieldTexts
}

// fieldTexts are the fields whose keys need a type to go with.
var fieldTexts = map[string][]string{
	"doc": {`{type: string, doc: " "}`, `{type: int, doc: "\0"}`, `{type: string, doc: "\xA0", max_length: 3}`,
		`{type: string, doc: "*/\n\n x", default: a}`, `{type: int, doc: "\U0010FFFF", min: 3}`},
	"min": {"{type: int, min: 1}", "{type: float, min: -0.5}", "{type: int, min: -3}"},
	"max": {"{type: int, max: 5}", "{type: float, max: 1e9}", "{type: int, min: 1, max: 9007199254740993}"},

	"min_length": {"{type: string, min_length: 1}", `{type: "[]string", min_length: 1}`, "{type: bytes, min_length: 2}"},
	"max_length": {"{type: string, max_length: 9}", `{type: "map[string]int", max_length: 2}`, `{type: "[]string", max_length: 2}`},
	"types":      {"{type: image, types: [image/png]}", `{type: "[]audio", types: [audio/mpeg, audio/wav]}`},
	"max_bytes":  {"{type: pdf, max_bytes: 100000}", `{type: "?image", max_bytes: 1000}`},
	"pattern":    {"{type: string, pattern: '^[a-z`\"]+$'}"},
	"default": {"{type: string, default: a}", "{type: int, default: 3}", "{type: float, default: 1}", "{type: bool, default: true}",
		"{type: duration, default: 1h}", "{type: time, default: 2026-01-31T12:00:00Z}", "{type: bytes, default: aGk=}", "{type: Grade$n, default: low}"},
	"go": {"{go: github.com/graphgen/graphgen/golden/types/money.Amount}"},

	"discriminator": {"{union: {a: {x: int}, b: {y: string}}, discriminator: kind}"},
	"keep":          {`{type: "[]string", merge: append, keep: 2}`, `{type: "[]Report$n", merge: append, keep: 1}`, `{type: "[]pdf", merge: append, keep: 3}`},
	"renamed_from":  {"{type: string, renamed_from: earlier}", "{enum: [one, two], renamed_from: former}"},
	"secret": {"{type: string, secret: true}", `{type: "[]Report$n", merge: append, secret: true}`,
		`{type: "?messages", secret: true}`, "{type: int, merge: sum, secret: true}", "{type: image, secret: true, private: true}",
		"{type: bytes, secret: false}"},
}

// mergeTypes are the types of a field with a merge rule.
var mergeTypes = map[string][]string{
	"last": {"string", "messages", "image"}, "append": {`"[]string"`, `"[]Report$n"`, "messages", `"[]pdf"`},
	"union": {`"[]string"`, `"map[string]int"`}, "sum": {"int", "duration", "float"},
	"max": {`"?int"`, "int"}, "min": {`"?int"`, "int"}, "custom": {"string", `"[]Report$n"`, "any"},
}

// settled are the rows that every spec has, or that others make.
var settled = []string{
	"graph.graph", "graph.nodes", "graph.edges", "graph.state", "graph.input", "graph.output", "graph.types", "graph.tools",
	"graph.mcp", "graph.limits", "graph.mutations",
	"graph.use",
	// needs files; package mutants has graphs with files
	"graph.skills", "node.skills", "skill group.doc", "skill group.instructions", "skill group.tools", "skill group.allow_tools",
	"skill group.deny_tools", "skill group.mcp", // TestTemplatesAreGone of gen/golang
	"graph.templates", "graph.pattern", "graph.with", // TestEveryNodeAsTemplate of gen/golang makes templates of the nodes of all golden graphs
	"template.doc", "template.params", "template.state", "template.node", "template.nodes", "template.edges", "template.exit",
	"template.graph", "template.example",
	"parameter.type", "parameter.enum", "parameter.default", "parameter.optional", "parameter.min", "parameter.max", "parameter.doc",
	"graph.drivers",       // TestGolden of contrib/temporal gives all golden graphs the driver: what is generated needs its module
	"node.child_workflow", // likewise
	"graph.entry", "node.kind", "node.flags",
	"edge.from", "edge.to", "edge.if", "edge.on_output", "edge.when", "branch edge.from", "branch edge.branch",
	"sequential edge.sequential", "loop edge.loop_until",
	"loop_until.node", "loop_until.exit", "loop_until.if", "assertion.that", "assertion.doc",
	"body.entry", "branch.run", "branch.entry", "branch.if", // in values of node.body and node.branches
	"block.name", "block.text", "block.priority", "eval.doc", "eval.called", "eval.not_called", "eval.if", "eval.judge",
	"eval.reads", "edge.reads", "edge.tools", "guard.reads", "guard.judge",
	"enum.enum", "enum.renamed_from", "struct.struct", "union.union", "union.discriminator", "Go type.go",
}

// conditions are expressions over what x gives and the state, in all their forms.
var conditions = []string{
	"out.Score > 1", "out.Score > 1 && out.Done", "out.Grade == Grade$nHigh", "!out.Done", "out.Note == \"a\"", "out == Grade$nHigh",
	"out != nil", "len(out) > 1", "out.Next_step != 0",
	"state.Count > 1", "state.Text == \"a  b\"", "state.Maybe != nil && *state.Maybe > 2", "len(state.Items) > 3",
	"slices.Contains(state.Items, state.Text)", "state.Due.Before(time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC))",
	"state.Due.Format(\"2006-02-01\") == state.Text", "state.Took > 3*time.Second", "strings.HasPrefix(state.Text, `a`) || state.Done",
	"state.Grade.String() == state.Text", "state.Report != nil && state.Report.Score > 2",
	"len(state.Chat) > 1 && state.Chat[0].Role.String() == state.Text", "state.Pinned != nil && state.Pinned.Text == state.Text",
	"state.Pic != nil && state.Pic.Size() > 2 || state.File.IsZero()", "state.Secret == state.Text",
	"state.Rate > math.Pi", "utf8.RuneCountInString(state.Text) > 4", "state.Count > 9007199254740993",
	"res.Visit > 1", "res.Err != nil", "res.Cached", "res.ToolCalls > 0", "res.Confidence > 0.5", "res.Skipped || res.Attempts > 1",
	"evals.Fine", "evals.Fine && state.Count > 1", "out.Confidence > 0.5 && res.Tokens > 10",
}

// edgeForms are edges that leave x.
var edgeForms = []string{
	"{from: $x, to: other, on_output: {score: 3}}", "{from: $x, to: other, on_output: {grade: low}}",
	"{from: $x, to: other, on_output: {done: true}}", "{from: $x, to: end, on_output: {note: a}}",
	"{from: $x, to: other, on_output: done}", "{from: $x, to: other, on_confidence: true}",
	"{from: $x, to: other, on_confidence: 0.5}", "{from: $x, to: other, when: it is so}",
	"{from: $x, to: other, when: it is so, reads: [text, maybe, report]}", "{from: $x, to: other, when: it is so, reads: [chat, pinned]}",
	"{from: $x, to: end, when: it is not so}", "{from: $x, to: $x, when: more is needed, max_iterations: 2}",
	"{from: $x, to: $x, max_iterations: 2}", "{from: $x, to: other, max_iterations: 1, priority: 3}",
	"{from: other, to: $x, max_iterations: 1}", "{from: $x, to: other, if: state.Count > 2, priority: 5, max_iterations: 2}",
	"{from: $x, branch: {good: after, bad: other}}", "{from: $x, branch: {good: after, err: end}, priority: 2}",
	"{sequential: [other, after]}", "{loop_until: {node: $x, exit: other, if: state.Count > 1}}",
	"{loop_until: {node: $x, exit: end, if: out.Done, max_iterations: 3}}", "{from: start, to: other, if: state.Count > 7, priority: 1}",
	"{from: $x, to: calls, on: tool_call}",
}

// nodeNames are names of x that generated code might use for something else.
var nodeNames = []string{"out", "context", "gg", "state", "err", "r", "run", "string", "type", "end_run", "handlers", "tools", "a-b", "String"}

// children are nodes that x runs.
var children = []string{
	"{kind: prompt, instructions: Go on.}", "{reads: text, output: Report$n}", "{reads: text, fail_soft: true}",
	"{reads: text, writes: log, flags: [retryable]}", "{reads: text, writes: sum, guards: [sane]}",
	"{kind: tool, tool: find, args: {query: text}}", "{kind: prompt, instructions: Go on., tools: [find], writes: log}",
	"{reads: text, flags: [cacheable]}", "{kind: transform, reads: text, writes: sum}", "{}",
	"{kind: prompt, instructions: Go on., output: Report$n}", "{kind: prompt, instructions: Go on., history: side, writes: log}",
	"{kind: prompt, instructions: Go on., message: '{{text}}', history: side, tools: [find], flags: [no_history]}",
	"{reads: text, writes: log, transaction: true}", "{reads: text, output: Report$n, transaction: true, flags: [retryable], guards: [sane], guard_retries: 1}",
	"{kind: prompt, instructions: Go on., reads: [pic, shots]}", "{reads: secret, writes: log, guards: [{safe: {reads: [secret, chat]}}]}",
	"{kind: tool, tool: find, args: {query: text}, writes: log}", "{kind: pass}",
	"{kind: say, say: 'About {{text}}', payload: {items: items}}", "{kind: set, set: {log: '[]string{state.Text}', sum: '1'}}",
	"{kind: guard, reads: text}", "{kind: guard, reads: text, fail_soft: true}",
	"{kind: guard, instructions: 'Is {{text}} good?', guard_retries: 1, flags: [retryable]}",
	"{kind: human, instructions: 'Is {{text}} good?', record: signers}", "{kind: human, instructions: Choose., output: Report$n, timeout: 1h}",
}
