package compat_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/compat"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/shape"
)

// before is the released spec of TestChanges.
const before = `graph: review
entry: draft
types:
  Grade: {enum: [low, mid, high]}
  Verdict:
    score: {type: int, min: 1, max: 10}
    notes: "[]string"
    grade: Grade
    why: "?string"
  Shape: {union: {round: {radius: float}, flat: {width: float}}}
  Money: {go: example.com/shop/money.Amount}
state:
  topic: string
  text: {type: string, max_length: 100}
  count: int
  percent: {type: int, min: 0, max: 100}
  share: float
  verdicts: {type: "[]Verdict", merge: append}
  form: "?Shape"
  price: "?Money"
  by: "map[string]Grade"
  due: time
  left: duration
  raw: bytes
  extra: any
  talk: messages
  photo: "?image"
  hint: {type: string, default: none}
input: [topic, text, count, percent, share, form, price, by, due, left, raw, extra, talk, photo, hint]
output: [verdicts]
tools:
  search: {args: {query: string}}
nodes:
  draft: {reads: [topic, text, count, percent, share, form, price, by, due, left, raw, extra, talk, photo, hint], next: weigh}
  weigh: {kind: prompt, instructions: Weigh it., reads: text, output: Verdict, writes: verdicts, next: fork}
  fork: {kind: parallel, branches: {facts: look, style: read}, next: ask}
  look: {reads: text, flags: [requires_human]}
  read: {reads: text}
  ask: {kind: human, instructions: Shall it be published, reads: text, output: {grade: Grade}, next: send}
  send: {kind: prompt, message: Send it., inherits: weigh, tools: search, approve: search, next: done}
  done: {reads: verdicts}
`

// changes are kinds of change of a spec with what is to be found: nothing where the shape stays the same.
var changes = []struct {
	name     string
	from, to string // text that is replaced, everywhere, and by what
	want     string // of each diagnostic, its place, severity, code and message
}{
	// What is no change.
	{"the order of fields", "  topic: string\n  text: {type: string, max_length: 100}\n", "  text: {type: string, max_length: 100}\n  topic: string\n", ""},
	{"the order of values", "[low, mid, high]", "[high, mid, low]", ""},
	{"a doc", "notes: \"[]string\"", "notes: {type: \"[]string\", doc: What is wrong.}", ""},
	{"a prompt", "Weigh it.", "Weigh the text.", ""},
	{"a transition", "inherits: weigh,", "inherits: weigh, transitions: {error: end},", ""},
	{"a name of a type", "Grade", "Level", ""},

	// Fields of the state.
	{"a state field with a default", "  count: int\n", "  count: int\n  pages: {type: int, default: 1}\n",
		`16:3 note[GG328] state field "pages" is not in release 1: its threads have its default`},
	{"an optional state field", "  count: int\n", "  count: int\n  pages: \"?int\"\n",
		`16:3 note[GG328] state field "pages" is not in release 1: its threads have nothing there`},
	{"a state field with a merge rule", "  count: int\n", "  count: int\n  pages: {type: int, merge: sum}\n",
		`16:3 note[GG328] state field "pages" is not in release 1: its threads have an empty value, to which runs add`},
	{"a state field without a value", "  count: int\n", "  count: int\n  pages: int\n",
		`16:3 error[GG329] state field "pages" is not in release 1, and has no value to start with`},
	{"a state field less", "  hint: {type: string, default: none}\n", "",
		`1:8 error[GG330] state field "hint" of release 1 is missing: its values would be lost`},
	{"a renamed state field", "  topic: string\n", "  subject: {type: string, renamed_from: topic}\n",
		`13:3 note[GG328] state field "subject" is "topic" of release 1`},
	{"a state field by another name", "  hint: {type: string, default: none}\n", "  tip: {type: string, default: none}\n",
		`1:8 error[GG330] state field "hint" of release 1 is missing: its values would be lost
28:3 note[GG328] state field "tip" is not in release 1: its threads have its default`},
	{"another type", "  count: int\n", "  count: string\n", `15:3 error[GG331] state field "count" is of type string, and int in release 1`},
	{"a type that is renamed, too", "  count: int\n", "  number: {type: string, renamed_from: count}\n",
		`15:3 note[GG328] state field "number" is "count" of release 1
15:3 error[GG331] state field "number" is of type string, and int in release 1`},
	{"an optional type", "  count: int\n", "  count: \"?int\"\n", `15:3 note[GG328] state field "count" is optional, and is not in release 1`},
	{"a type that is optional no more", "form: \"?Shape\"", "form: Shape", `19:3 error[GG331] state field "form" is of type Shape, and ?Shape in release 1`},
	{"a float in place of any int", "  count: int\n", "  count: float\n",
		`15:3 error[GG331] state field "count" is of type float, and int in release 1: a float does not have every int`},
	{"a float in place of a bounded int", "percent: {type: int,", "percent: {type: float,",
		`16:3 note[GG328] state field "percent" is a float, and an int in release 1`},
	{"an int in place of a float", "share: float", "share: int", `17:3 error[GG331] state field "share" is of type int, and float in release 1`},
	{"a string in place of an enum", "by: \"map[string]Grade\"", "by: \"map[string]string\"",
		`21:3 note[GG328] state field "by" is a string, and an enum in release 1`},
	{"an enum in place of a string", "  topic: string\n", "  topic: Grade\n",
		`13:3 error[GG331] state field "topic" is of type Grade, and string in release 1`},
	{"any in place of a type", "  count: int\n", "  count: any\n", `15:3 note[GG328] state field "count" is of type any, and int in release 1`},
	{"a type in place of any", "  extra: any\n", "  extra: string\n", `25:3 error[GG331] state field "extra" is of type string, and any in release 1`},
	{"an element in place of a list", "  verdicts: {type: \"[]Verdict\", merge: append}\n", "  verdicts: Verdict\n",
		`18:3 error[GG331] state field "verdicts" is of type Verdict, and []Verdict in release 1`},
	{"a list in place of a map", "by: \"map[string]Grade\"", "by: \"[]Grade\"",
		`21:3 error[GG331] state field "by" is of type []Grade, and map[string]Grade in release 1`},
	{"a string in place of a time", "due: time", "due: string", `22:3 error[GG331] state field "due" is of type string, and time in release 1`},
	{"a string in place of bytes", "raw: bytes", "raw: string", `24:3 error[GG331] state field "raw" is of type string, and bytes in release 1`},
	{"an image in place of a PDF", "photo: \"?image\"", "photo: \"?pdf\"", `27:3 error[GG331] state field "photo" is of type ?pdf, and ?image in release 1`},
	{"another Go type", "shop/money.Amount", "shop/money.Sum",
		`20:3 error[GG331] state field "price" is of type *example.com/shop/money.Sum, and *example.com/shop/money.Amount in release 1`},
	{"a merge rule", "share: float", "share: {type: float, merge: max}",
		`17:3 note[GG328] state field "share" has the merge rule max, and last in release 1: what a thread has written by then stays as that rule has made it`},
	{"another default", "default: none", "default: all", ``},
	{"a default more", "  topic: string\n", "  topic: {type: string, default: otters}\n", ``},

	// Limits.
	{"a lower max", "max: 10}", "max: 5}", `6:5 error[GG333] field "score" of Verdict has another max, which values of release 1 may exceed`},
	{"a higher max", "max: 10}", "max: 20}", `6:5 note[GG328] field "score" of Verdict has another max, which all values of release 1 keep`},
	{"a higher min", "min: 1, max: 10}", "min: 2, max: 10}", `6:5 error[GG333] field "score" of Verdict has another min, which values of release 1 may exceed`},
	{"a limit less", "max_length: 100", "max_length: 200", `14:3 note[GG328] state field "text" has another max_length, which all values of release 1 keep`},
	{"a limit more", "  topic: string\n", "  topic: {type: string, min_length: 1, pattern: '^a'}\n",
		`13:3 error[GG333] state field "topic" has another min_length and pattern, which values of release 1 may exceed`},
	{"a format", "  topic: string\n", "  topic: {type: string, format: email}\n",
		`13:3 error[GG333] state field "topic" has another format, which values of release 1 may exceed`},
	{"media types", "photo: \"?image\"", "photo: {type: \"?image\", types: image/png}",
		`27:3 error[GG333] state field "photo" has another types, which values of release 1 may exceed`},

	// Types.
	{"a field of a struct with a default", "    notes: \"[]string\"\n", "    notes: \"[]string\"\n    by: {type: string, default: me}\n",
		`8:5 note[GG328] field "by" of Verdict is not in release 1: its threads have its default`},
	{"a field of a struct without a value", "    notes: \"[]string\"\n", "    notes: \"[]string\"\n    by: \"[]string\"\n",
		`8:5 error[GG329] field "by" of Verdict is not in release 1, and has no value to start with`},
	{"a field of a struct less", "    why: \"?string\"\n", "", `5:3 error[GG330] field "why" of Verdict of release 1 is missing: its values would be lost`},
	{"a renamed field of a struct", "    why: \"?string\"\n", "    reason: {type: \"?string\", renamed_from: why}\n",
		`9:5 note[GG328] field "reason" of Verdict is "why" of release 1`},
	{"a retyped field of a struct", "    why: \"?string\"\n", "    why: \"?[]string\"\n",
		`9:5 error[GG331] field "why" of Verdict is of type ?[]string, and ?string in release 1`},
	{"a value more", "[low, mid, high]", "[low, mid, high, top]", `4:34 note[GG328] value "top" of Grade is not in release 1`},
	{"a value less", "[low, mid, high]", "[low, high]", `4:3 error[GG332] value "mid" of Grade, of release 1, is missing`},
	{"a renamed value", "[low, mid, high]", "[low, mid, top], renamed_from: {top: high}", `4:28 note[GG328] value "top" of Grade is "high" of release 1`},
	{"a variant more", "flat: {width: float}", "flat: {width: float}, odd: {sides: int}", `10:65 note[GG328] variant "odd" of Shape is not in release 1`},
	{"a variant less", ", flat: {width: float}", "", `10:3 error[GG332] variant "flat" of Shape, of release 1, is missing`},
	{"another field of a variant", "{width: float}", "{width: int}",
		`10:50 error[GG331] field "width" of variant "flat" of Shape is of type int, and float in release 1`},
	{"another discriminator", "flat: {width: float}}", "flat: {width: float}}, discriminator: is",
		`10:3 error[GG332] the discriminator of Shape is "is", and "type" in release 1`},

	// Nodes.
	{"a node more", "next: done}\n  done:", "next: pause}\n  pause: {kind: pass, next: done}\n  done:", `41:3 note[GG328] node "pause" is not in release 1`},
	{"a node less where no thread waits", ", next: done}\n  done: {reads: verdicts}\n", "}\n",
		`1:8 note[GG328] node "done" of release 1 is missing: no thread waits there, but one that was killed there is refused`},
	{"a node less where a thread may wait", ", next: ask}\n", ", next: send}\n",
		`1:8 error[GG334] node "ask" of release 1 is missing, where threads may wait: a person answers the node`},
	{"a renamed node where a thread may wait", "ask", "question",
		`39:3 note[GG328] node "question" is "ask" of release 1`},
	{"another kind where no thread waits", "  read: {reads", "  read: {kind: transform, reads",
		`38:3 note[GG328] node "read" is of kind transform, and of kind func in release 1`},
	{"another kind where a thread may wait", "ask: {kind: human, instructions: Shall it be published, reads: text, output: {grade: Grade}", "ask: {reads: text",
		`39:3 error[GG335] node "ask" is of kind func, and of kind human in release 1, where threads may wait: a person answers the node`},
	{"an approval less", "  look: {reads: text, flags: [requires_human]}\n", "  look: {reads: text}\n",
		`37:3 error[GG335] node "look" has nothing more to wait for as it has in release 1, where threads may wait: a person approves that the node runs`},
	{"an approval of calls less", " approve: search,", "",
		`40:3 error[GG335] node "send" has nothing more to wait for as it has in release 1, where threads may wait: a person ` +
			`approves calls of tools that the node makes`},
	{"an approval more", "  read: {reads: text}\n", "  read: {reads: text, flags: [requires_human]}\n", ``},
	{"another branch", "facts: look, style: read", "facts: read, style: look",
		`37:3 error[GG335] node "look" is run in the branch "style" of "fork", and in the branch "facts" of "fork" in release 1, where threads may wait: a person approves that the node runs
38:3 note[GG328] node "read" is run in the branch "facts" of "fork", and in the branch "style" of "fork" in release 1: no thread waits there, but one that was killed there is refused`},
	{"a branch more, where a thread may wait", "style: read}", "style: read, more: third}",
		`36:3 error[GG335] node "fork" has the branches facts, more, style, and facts, style in release 1, where threads may wait: a node, or a graph, that the node runs waits
39:3 note[GG328] node "third" is not in release 1`},
	{"an answer of another form", "output: {grade: Grade}", "output: {grade: string}",
		`39:81 note[GG328] field "grade" of the output of node "ask" is a string, and an enum in release 1`},
	{"an answer with a field more", "output: {grade: Grade}", "output: {grade: Grade, why: string}",
		`39:95 error[GG329] field "why" of the output of node "ask" is not in release 1, and has no value to start with`},
	{"an interrupt", "entry: draft", "entry: draft\ninterrupt_before: send", ``},
	{"names that no release has", "  topic: string\n", "  topic: {type: string, renamed_from: theme}\n",
		`13:39 error[GG339] no release has "theme" among its fields`},
}

func TestChanges(t *testing.T) {
	lock := lockOf(t, before)
	for _, tt := range changes {
		t.Run(tt.name, func(t *testing.T) {
			after := strings.ReplaceAll(before, tt.from, tt.to)
			switch {
			case after == before:
				t.Fatal("nothing is replaced")
			case tt.name == "a renamed node where a thread may wait":
				after = strings.Replace(after, "  question: {", "  question: {renamed_from: ask, ", 1)
			case tt.name == "a node less where a thread may wait":
				after = without(after, "  ask: ")
			case strings.Contains(tt.to, "third"):
				after = strings.Replace(after, "  ask: ", "  third: {reads: text}\n  ask: ", 1)
			}
			after = renamedUses(after, tt.from, tt.to)
			if got := found(compat.Check("g.graph.yaml", lock, shape.Of(build(t, after)))); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s\nfor\n%s", got, tt.want, after)
			}
		})
	}
}

func TestOptionalInts(t *testing.T) {
	const first = "graph: g\nentry: a\nstate: {x: {type: \"?int\", min: 0, max: 9}}\ninput: [x]\nnodes:\n  a: {reads: [x]}\n"
	const want = `3:9 note[GG328] state field "x" is a float, and an int in release 1`
	second := strings.Replace(first, "?int", "?float", 1)
	if got := found(compat.Check("g.graph.yaml", lockOf(t, first), shape.Of(build(t, second)))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A thread takes every step from its release to the spec: one that needs a migration needs it for all before it.
func TestJudge(t *testing.T) {
	const first = "graph: g\nentry: a\nstate: {x: string, y: string}\ninput: [x, y]\nnodes:\n  a: {reads: [x, y]}\n"
	second := strings.NewReplacer("x: string", "z: {type: string, renamed_from: x}", "[x,", "[z,").Replace(first)
	third := strings.NewReplacer("y: string", "y: int", "z: {type: string, renamed_from: x}", "z: string").Replace(second)
	fourth := strings.Replace(third, "state: {", "state: {w: {type: string, default: no}, ", 1)
	lock := lockOf(t, first, second, third)
	for name, tt := range map[string]struct{ spec, want string }{
		"what the last release has": {third, "1 needs a migration [2], 2 needs a migration [2], 3 same []"},
		"a compatible change":       {fourth, "1 needs a migration [2], 2 needs a migration [2], 3 compatible []"},
		"another change": {strings.Replace(fourth, "z: string", "z: int", 1),
			"1 needs a migration [2 3], 2 needs a migration [2 3], 3 needs a migration [3]"},
		"what an earlier release has": {second, "1 needs a migration [2 3], 2 needs a migration [2 3], 3 needs a migration [3]"},
		"a doc that the release has not": {strings.Replace(third, "graph: g\n", "graph: g\ndoc: It is of use.\n", 1),
			"1 needs a migration [2], 2 needs a migration [2], 3 same []"},
	} {
		var got []string
		for _, j := range compat.Judge(compat.Steps(lock, shape.Of(build(t, tt.spec)))) {
			var from []int
			for _, s := range j.Migrations {
				from = append(from, s.From.Number.V)
			}
			got = append(got, fmt.Sprintf("%d %s %v", j.Release.Number.V, j.Verdict, from))
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: got %s, want %s", name, strings.Join(got, ", "), tt.want)
		}
	}
}

// A type of a used file is changed in that file: the diagnostic is at the field that has the type.
func TestChangesOfUsedFiles(t *testing.T) {
	const text = "-- c.types.yaml --\ntypes:\n\n\n\n\n  Grade: {enum: [low, high]}\n-- g.graph.yaml --\ngraph: g\nentry: a\nuse: " +
		"{grades: c.types.yaml}\nstate:\n  x: grades.Grade\ninput: x\nnodes:\n  a: {reads: x}\n"
	got := found(compat.Check("g.graph.yaml", lockOf(t, text), shape.Of(build(t, strings.Replace(text, "high]", "top]", 1)))))
	const want = `5:3 note[GG328] value "top" of Grade is not in release 1
5:3 error[GG332] value "high" of Grade, of release 1, is missing`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What to do about something that is missing names what may be it by another name.
func TestHelpOfMissingNames(t *testing.T) {
	const text = "graph: g\nentry: ask\ntypes:\n  Grade: {enum: [low, high]}\nstate: {x: string, g: Grade}\ninput: [x, g]\nnodes:\n" +
		"  ask: {kind: human, instructions: Go on, reads: [x, g]}\n"
	lock := lockOf(t, text)
	for change, want := range map[string]string{
		"x: string|y: {type: string, default: a}": `if it is called "y" here, add renamed_from: x to it; else write the migration,` +
			` which drops its values or keeps them elsewhere`,
		"x: string|y: {type: int, default: 1}": "write the migration, which drops its values or keeps them elsewhere",
		"high]|top]": `if it is called "top" here, add renamed_from: {top: high} to the enum; else keep ` +
			`the value, or write the migration`,
		"high]|top, best]": "keep the value, or write the migration",
		"ask|wait": `if it is called "wait" here, add renamed_from: ask to it; else keep the node, or write the migration,` +
			` which returns where its threads continue`,
	} {
		from, to, _ := strings.Cut(change, "|")
		after := strings.ReplaceAll(text, from, to)
		if strings.HasPrefix(to, "y") {
			after = strings.ReplaceAll(after, "[x,", "[y,")
		}
		help := ""
		for _, d := range compat.Check("g.graph.yaml", lock, shape.Of(build(t, after))) {
			if d.Severity == diag.Error {
				help += d.Help.String()
			}
		}
		if help != want {
			t.Errorf("%s: got %q, want %q", change, help, want)
		}
	}
}

// A node that a missing one has run is in another place.
func TestMovedNodes(t *testing.T) {
	const text = "graph: g\nentry: fork\nstate: {x: string}\ninput: x\nnodes:\n  fork: {kind: parallel, branches: {one: ask, two: " +
		"read}}\n  ask: {kind: human, instructions: Go on, reads: x}\n  read: {reads: x}\n"
	after := strings.NewReplacer("entry: fork", "entry: ask", "  fork: {kind: parallel, branches: {one: ask, two: read}}\n", "",
		"reads: x}\n  read", "reads: x, next: read}\n  read").Replace(text)
	got := found(compat.Check("g.graph.yaml", lockOf(t, text), shape.Of(build(t, after))))
	const want = `1:8 error[GG334] node "fork" of release 1 is missing, where threads may wait: a node, or a graph, that the node runs waits
6:3 error[GG335] node "ask" is run by the graph, and in the branch "one" of "fork" in release 1, where threads may wait: a person answers the node
7:3 note[GG328] node "read" is run by the graph, and in the branch "two" of "fork" in release 1`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A map has what changes, also of types that hold themselves, and nothing else.
func TestMapsOf(t *testing.T) {
	const text = "graph: g\nentry: a\ntypes:\n  Kind: {enum: [leaf, node]}\n  Tree: {below: \"[]Tree\", kind: Kind, name: string}\n" +
		"  Flat: {width: int}\nstate: {tree: Tree, by: \"map[string]?Kind\", flat: Flat}\ninput: [tree, by, flat]\nnodes:\n  a: {reads: [tree, by, flat]}\n"
	lock := lockOf(t, text)
	after := strings.NewReplacer("[leaf, node]", "[end, node], renamed_from: {end: leaf}", "below: \"[]Tree\"",
		"under: {type: \"[]Tree\", renamed_from: below}", "  a: {", "  b: {renamed_from: a, ", "entry: a", "entry: b").Replace(text)
	maps := compat.MapsOf(lock.Last().Shape, shape.Of(build(t, after)))
	kind := &compat.Map{Values: []compat.FieldMap{{From: "leaf", To: "end"}}}
	if len(maps.Nodes) != 1 || maps.Nodes[0] != (compat.Rename{Of: compat.Nodes, From: "a", To: "b"}) {
		t.Errorf("nodes %+v", maps.Nodes)
	}
	if maps.State == nil || len(maps.State.Fields) != 2 {
		t.Fatalf("state %+v", maps.State)
	}
	by, tree := maps.State.Fields[0], maps.State.Fields[1]
	if by.From != "by" {
		by, tree = tree, by
	}
	if by.To != "by" || !reflect.DeepEqual(by.Value, &compat.Map{Elem: kind}) {
		t.Errorf("by %+v", by)
	}
	below := slices.IndexFunc(tree.Value.Fields, func(f compat.FieldMap) bool { return f.From == "below" && f.To == "under" })
	if len(tree.Value.Fields) != 2 || below < 0 || tree.Value.Fields[below].Value.Elem != tree.Value ||
		!reflect.DeepEqual(tree.Value.Fields[1-below].Value, kind) {
		t.Errorf("tree %+v", tree.Value)
	}
	if same := compat.MapsOf(lock.Last().Shape, shape.Of(build(t, text))); same.State != nil || len(same.Nodes) > 0 {
		t.Errorf("a map that changes nothing is %+v", same)
	}
}

// renamedUses names a state field in the input and in the nodes as its declaration does.
func renamedUses(text, from, to string) string {
	was, _, _ := strings.Cut(strings.TrimSpace(from), ":")
	is, _, _ := strings.Cut(strings.TrimSpace(to), ":")
	if !strings.HasPrefix(from, "  ") || strings.HasPrefix(from, "    ") || was == is || strings.Contains(from, "reads") || strings.Count(from, "\n") > 1 {
		return text
	}
	for _, list := range []string{", ", "["} {
		if is == "" {
			text = strings.ReplaceAll(text, list+was+"]", "]")
			continue
		}
		text = strings.NewReplacer(list+was+",", list+is+",", list+was+"]", list+is+"]").Replace(text)
	}
	return text
}

func without(text, line string) string {
	from := strings.Index(text, line)
	return text[:from] + text[from+strings.Index(text[from:], "\n")+1:]
}

// build returns a spec that has no errors.
func build(t *testing.T, text string) *cfg.Graph {
	t.Helper()
	files := diag.Files("g.graph.yaml", text)
	last := files[len(files)-1]
	g, ds := spec.Load(last.Name, []byte(last.Text))
	if len(ds) > 0 {
		t.Fatalf("%s of\n%s", found(ds), text)
	}
	link.Among(files, func(*spec.Graph) []diag.Diagnostic { return nil }).Link(g)
	flow := cfg.Of(g)
	if ds := check.Run(flow); diag.HasErrors(ds) {
		t.Fatalf("%s of\n%s", found(ds), text)
	}
	return flow
}

// lockOf returns the lock file of the releases of specs.
func lockOf(t *testing.T, specs ...string) *shape.Lock {
	t.Helper()
	var lock *shape.Lock
	for _, text := range specs {
		var ds []diag.Diagnostic
		if lock, ds = shape.ParseLock("g.graph.lock", lock.Append(shape.Of(build(t, text)), "")); len(ds) > 0 {
			t.Fatal(found(ds))
		}
	}
	return lock
}

// found is a line for each diagnostic.
func found(ds []diag.Diagnostic) string {
	var lines []string
	for _, d := range ds {
		lines = append(lines, fmt.Sprintf("%d:%d %s[%s] %s", d.Pos.Line, d.Pos.Col, d.Severity, d.Code, d.Message))
	}
	return strings.Join(lines, "\n")
}

// A field that becomes secret changes no shape. The note says where its values are in plain text; there is none once it is released.
func TestSecretFields(t *testing.T) {
	const plain = "graph: g\ndurable: true\nentry: a\nstate:\n  x: string\n  y: {type: string, secret: true}\ninput: [x, y]\nnodes:\n  a: {reads: [x, y]}\n"
	secret := strings.Replace(plain, "x: string", "z: {type: string, renamed_from: x, secret: true}", 1)
	secret = strings.ReplaceAll(secret, "[x,", "[z,")
	same := strings.Replace(plain, "x: string", "x: {type: string, secret: true}", 1)
	const note = `note[GG328] state field %q is secret, and is not in release 1, whose records keep its values in plain text until they are pruned`
	for name, tt := range map[string]struct{ old, now, want string }{
		"it becomes secret":     {plain, same, "5:29 " + fmt.Sprintf(note, "x")},
		"by another name":       {plain, secret, "5:46 " + fmt.Sprintf(note, "z")},
		"it was secret":         {same, same, ""},
		"it is secret no more":  {same, plain, ""},
		"both were not changed": {plain, plain, ""},
	} {
		got := found(compat.Check("g.graph.yaml", lockOf(t, tt.old), shape.Of(build(t, tt.now))))
		if tt.want == "" && got != "" || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, tt.want)
		}
	}
	if a, b := shape.Of(build(t, plain)), shape.Of(build(t, same)); a.Hash() != b.Hash() {
		t.Error("the shape depends on it")
	}
}
