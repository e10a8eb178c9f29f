package lsp

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/goname"
)

// An occurrence is a place where something is declared or named.
type occurrence struct {
	symbol
	at, end int
	entry   int  // that has it
	def     bool // it is declared here
	goName  bool // it is written as a Go name, in an expression
	text    bool // in a placeholder
}

// A symbol is what the entries of a file declare: a node, a state field, a tool, a type.
type symbol struct{ of, name string }

// The mappings whose entries are symbols.
const (
	ofNode     = "node"
	ofField    = "state field"
	ofTool     = "tool"
	ofType     = "type"
	ofSkill    = "skill group"
	ofTemplate = "template"
	ofEnd      = "end"
)

// typeName matches the names in a type.
var typeName = regexp.MustCompile(`[\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*)?`)

// assertionWords are the words of assertions that are no names.
var assertionWords = []string{"every", "path", "to", "passes", "no", "from", "without", "is", "reachable", "runs", "at", "most", "times", "end"}

// occurrences returns every place of a spec where something is declared or named, in order.
func (r *read) occurrences() (list []occurrence) {
	ends := map[string]bool{}
	for _, i := range r.ends {
		ends[decode(r.entries[i].scalar(r.text))] = true
	}
	for i := range r.entries {
		e := &r.entries[i]
		in := r.around(i)
		if !e.item && !e.bare && r.keys[i] == nil {
			key := e.keyText(r.text)
			o := occurrence{symbol: symbol{in.declares, decode(key)}, at: e.keyAt, end: e.key2, entry: i, def: true}
			if in.declares == "" {
				o.of, o.def = in.keyed, false
			}
			if o.of != "" {
				list = append(list, o)
			}
		}
		list = append(list, r.named(i, ends)...)
	}
	return list
}

// meant returns the symbol that a scenario names. Where a node may be named, that may be an end, too: it is one if the graph has no such node.
func (r *read) meant(s symbol) symbol {
	if s.of == ofNode && !r.declares(ofNode, s.name) && r.declares(ofEnd, s.name) {
		s.of = ofEnd
	}
	return s
}

// named returns what the scalar of an entry names, given the names of ends.
func (r *read) named(i int, ends map[string]bool) (list []occurrence) {
	e, s := &r.entries[i], &r.slots[i]
	if !e.style.isScalar() {
		return nil
	}
	w := e.scalar(r.text)
	text, places := w.decode()
	add := func(of, name string, from, to int) {
		list = append(list, occurrence{symbol: symbol{of, name}, at: places[from], end: places[to], entry: i})
	}
	switch {
	case s.prompt:
		for _, p := range placeholders(text) {
			add(ofField, text[p[2]:p[3]], p[2], p[3])
			list[len(list)-1].text = true
		}
	case s.code:
		list = r.expression(i, text, places)
	case s.types:
		for _, m := range typeName.FindAllStringIndex(text, -1) {
			if name := text[m[0]:m[1]]; name != "map" {
				add(ofType, name, m[0], m[1])
			}
		}
	case s.key != nil && s.key.Form == spec.FormAsserts, s.key != nil && s.key.Form == spec.FormAssert:
		for _, m := range regexp.MustCompile(`[^\s]+`).FindAllStringIndex(text, -1) {
			switch name := text[m[0]:m[1]]; {
			case slices.Contains(assertionWords, name):
			case r.declares(ofNode, name):
				add(ofNode, name, m[0], m[1])
			case ends[name]:
				add(ofEnd, name, m[0], m[1])
			}
		}
	case s.key != nil && s.key.Name == "ends":
		add(ofEnd, text, 0, len(text))
		list[0].def = true
	case s.names == ofNode && s.key.Ends && ends[text]:
		add(ofEnd, text, 0, len(text))
	case s.names != "" && text != "" && !(s.names == ofNode && spec.IsEnd(text)):
		add(s.names, text, 0, len(text))
	case s.key != nil && s.key.Name == "kind" && s.of != nil && s.of.Name == ofNode && spec.KindOf(text).Name == "":
		add(ofTemplate, text, 0, len(text))
	}
	return list
}

// declares reports whether the file declares a name.
func (r *read) declares(of, name string) bool {
	return r.declaration(symbol{of, name}) >= 0
}

// sections are the sections of a file that declare symbols.
var sections = map[string]string{ofNode: "nodes", ofField: "state", ofTool: "tools", ofType: "types", ofSkill: "skills", ofTemplate: "templates",
	"mcp server": "mcp"}

// declaration returns the entry that declares a symbol, -1 without one.
func (r *read) declaration(s symbol) int {
	if s.of == ofEnd {
		for _, i := range r.ends {
			if decode(r.entries[i].scalar(r.text)) == s.name {
				return i
			}
		}
		return -1
	}
	for _, i := range r.namesIn(sections[s.of]) {
		if decode(r.entries[i].keyText(r.text)) == s.name {
			return i
		}
	}
	return -1
}

// expression returns the fields that an expression names: fields of the state, and of an output that consists of the state fields that a
// node writes.
func (r *read) expression(i int, text string, places []int) (list []occurrence) {
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	trimmed := strings.TrimSpace(text)
	uses := expr.Read(spec.String{V: trimmed}).Uses()
	fields := r.goFields()
	add := func(f expr.Field) {
		name, known := fields[f.GoName]
		end := lead + f.Offset + f.Width
		if known && end < len(places) {
			list = append(list, occurrence{symbol: symbol{ofField, name}, at: places[end-len(f.GoName)], end: places[end], entry: i, goName: true})
		}
	}
	for _, f := range uses.State {
		add(f)
	}
	if node := r.nodeOf(i); node >= 0 && r.child(node, "output") < 0 && r.child(node, "writes") >= 0 {
		for _, f := range uses.Out {
			add(f)
		}
	}
	return list
}

// goFields returns the state fields by their Go names.
func (r *read) goFields() map[string]string {
	fields := map[string]string{}
	for _, f := range r.namesIn(sections[ofField]) {
		name := decode(r.entries[f].keyText(r.text))
		fields[goname.Exported(name)] = name
	}
	return fields
}

// nodeOf returns the entry of the node whose output an expression sees: that the edge leaves, or that has the expression; -1 without one.
func (r *read) nodeOf(i int) int {
	for ; i >= 0; i = r.entries[i].parent {
		for _, key := range []string{"from", "node"} {
			if from := r.child(i, key); from >= 0 && r.slots[from].names == ofNode {
				return r.declaration(symbol{ofNode, decode(r.entries[from].scalar(r.text))})
			}
		}
		if r.around(i).declares == ofNode {
			return i
		}
	}
	return -1
}

// under returns the occurrence at a place.
func (r *read) under(offset int) (occurrence, bool) {
	for _, o := range r.occurrences() {
		if o.at <= offset && offset <= o.end {
			return o, true
		}
	}
	return occurrence{}, false
}

// scenarioKeys maps a path of keys below a scenario to what the names there refer to. The names are the keys below the path, or the words of its value.
var scenarioKeys = map[string]string{
	"script": ofNode, "expect executed": ofNode, "expect followed": ofNode, "expect passed": ofNode, "expect prompt": ofNode,
	"tools": ofTool, "input": ofField, "expect state": ofField, "expect output": ofField,
}

// scenarioNames has the same for scalars: each word of them.
var scenarioNames = map[string]string{
	"expect path": ofNode, "expect skipped": ofNode, "expect cancelled": ofNode, "expect left_out": ofNode,
	"expect error node": ofNode, "expect failures node": ofNode, "expect events node": ofNode, "expect events to": ofNode,
	"expect all_events node": ofNode, "expect all_events to": ofNode, "expect events": ofNode, "expect all_events": ofNode,
	"answers to": ofNode, "expect requests": ofNode, "expect requests node": ofNode, "expect requests id": ofNode,
	"expect ending": ofEnd, "expect say node": ofNode, "options hooks before": ofNode, "options hooks after": ofNode,
}

// inScripts are the keys of an entry of a script below which names are fields that the node is given or gives, and the scalars that are nodes.
var inScripts = map[string]string{"out": ofField, "answer": ofField, "given in": ofField, "goto": ofNode, "choose": ofNode, "next": ofNode}

// scenarioWord matches a name in a key or a text of a scenario.
var scenarioWord = regexp.MustCompile(`[^\s/.,:]+`)

// scenarioOccurrences returns what a file of scenarios names of its graph. Of events the first word is their kind.
func scenarioOccurrences(text []byte) (list []occurrence) {
	r := &read{text: text, entries: outlineOf(text)}
	for i := range r.entries {
		e := &r.entries[i]
		path := strings.Split(r.path(i), ".")
		if path[0] == "merges" && len(path) == 2 {
			list = append(list, occurrence{symbol: symbol{ofField, decode(e.keyText(text))}, at: e.keyAt, end: e.key2, entry: i})
		}
		if path[0] != "scenarios" || len(path) < 2 {
			continue
		}
		path = path[1:]
		words := func(of string, w written, skip int) {
			text, places := w.decode()
			for n, m := range scenarioWord.FindAllStringIndex(text, -1) {
				if n >= skip {
					list = append(list, occurrence{symbol: symbol{of, text[m[0]:m[1]]}, at: places[m[0]], end: places[m[1]], entry: i})
				}
			}
		}
		above := strings.Join(path[:len(path)-1], " ")
		own := strings.Join(path, " ")
		if of := scenarioKeys[above]; of != "" && !e.item && !e.bare {
			words(of, e.keyText(text), 0)
		}
		if path[0] == "script" && len(path) > 2 {
			within := strings.Join(path[2:], " ")
			if of := inScripts[strings.TrimSuffix(strings.Join(path[2:len(path)-1], " "), " ")]; of == ofField && !e.item && !e.bare {
				words(of, e.keyText(text), 0)
			}
			if inScripts[within] == ofNode && e.style.isScalar() {
				words(ofNode, e.scalar(text), 0)
			}
			if (within == "malformed" || within == "text") && e.style.isScalar() {
				list = append(list, parts(memberName, ofField, e.scalar(text), i)...)
			}
		}
		if (above == "tools" || above == "expect tools_called") && !e.item && !e.bare {
			list = append(list, parts(subgraph, ofNode, e.keyText(text), i)...)
		}
		if strings.HasPrefix(own, "expect prompt ") && e.style.isScalar() {
			list = append(list, parts(choice, ofNode, e.scalar(text), i)...)
		}
		if of := scenarioNames[own]; of != "" && e.style.isScalar() {
			skip := 0
			if strings.HasSuffix(own, "events") {
				skip = 1
			}
			words(of, e.scalar(text), skip)
		}
	}
	return list
}

// memberName matches the name of a member in a text that is, or nearly is, JSON.
var memberName = regexp.MustCompile(`"([^"\\]+)"\s*:`)

// choice matches a node in the list of a prompt whose model chooses the next one.
var choice = regexp.MustCompile(`(?:^|\n)- ([^\s:]+):`)

// subgraph matches the node before a tool of its graph.
var subgraph = regexp.MustCompile(`([^\s/]+)/`)

// parts returns the names that a group of an expression finds in a text.
func parts(find *regexp.Regexp, of string, w written, entry int) (list []occurrence) {
	text, places := w.decode()
	for _, m := range find.FindAllStringSubmatchIndex(text, -1) {
		list = append(list, occurrence{symbol: symbol{of, text[m[2]:m[3]]}, at: places[m[2]], end: places[m[3]], entry: entry})
	}
	return list
}

// promptOccurrences returns the fields that the file of a prompt names.
func promptOccurrences(text []byte) (list []occurrence) {
	for _, p := range placeholders(string(text)) {
		list = append(list, occurrence{symbol: symbol{ofField, string(text[p[2]:p[3]])}, at: p[2], end: p[3], entry: -1, text: true})
	}
	return list
}

// isScenarios reports whether a file has scenarios.
func isScenarios(path string) bool { return strings.HasSuffix(path, scenario.Suffix) }

// mappingOf returns the mapping that a spec is.
func mappingOf(path string) string {
	if strings.HasSuffix(filepath.Base(path), spec.TypesSuffix) {
		return "types file"
	}
	return "graph"
}
