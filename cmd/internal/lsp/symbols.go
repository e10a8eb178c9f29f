package lsp

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// An occurrence is a place where something is declared or named.
type occurrence struct {
	symbol
	at, end int
	entry   int  // that has it
	def     bool // it is declared here
	goName  bool // it is written as a Go name, in an expression
	text    bool // in a placeholder

	within string // in scenarios: the nodes that lead to the graph of the name, with / between
	node   string // in scripts: the node that gives what has the name, as a member
	route  string // in scripts: of that, the field whose value the name is
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
			case r.declares(ofTool, name):
				add(ofTool, name, m[0], m[1])
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
	case s.key != nil && s.key.Name == "kind" && s.of != nil && s.of.Name == ofNode && text != "" && !spec.KindOf(text).Known():
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
	"tools": ofTool, "expect tools_called": ofTool, "input": ofField, "expect state": ofField, "expect output": ofField,
}

// ofRequest is what the ID of a request refers to: nodes, and a tool.
const ofRequest = "request"

// scenarioNames has the same for scalars: each word of them.
var scenarioNames = map[string]string{
	"expect path": ofNode, "expect skipped": ofNode, "expect cancelled": ofNode, "expect left_out": ofNode,
	"expect error node": ofNode, "expect failures node": ofNode, "expect events node": ofNode, "expect events to": ofNode,
	"expect all_events node": ofNode, "expect all_events to": ofNode, "expect events": ofNode, "expect all_events": ofNode,
	"answers to": ofRequest, "expect requests": ofRequest, "expect requests node": ofNode, "expect requests id": ofRequest,
	"expect tools_called": ofTool, "expect ending": ofEnd, "expect say node": ofNode, "options hooks before": ofNode, "options hooks after": ofNode,
}

// inScripts are the keys of an entry of a script whose scalars are names, and below which keys are: of nodes, of tools, and of fields that the node is
// given or gives.
var inScripts = map[string]string{"out": ofField, "answer": ofField, "given in": ofField, "goto": ofNode, "choose": ofNode, "next": ofNode,
	"tool_calls": ofTool}

// scenarioWord matches a name in a key or a text of a scenario, or in a path to it.
var scenarioWord = regexp.MustCompile(`[^\s/.,:]+`)

// scenarioOccurrences returns what a file of scenarios names of its graph, and of the graphs that nodes of it run.
func scenarioOccurrences(text []byte) (list []occurrence) {
	r := &read{text: text, entries: outlineOf(text)}
	for i := range r.entries {
		path := strings.Split(r.path(i), ".")
		switch {
		case path[0] == "merges" && len(path) == 2:
			list = append(list, scenarioWords(occurrence{symbol: symbol{of: ofField}, entry: i}, r.entries[i].keyText(text), 0)...)
		case path[0] == "scenarios" && len(path) > 1:
			list = append(list, r.inScenario(i, path[1:])...)
		}
	}
	return list
}

// inScenario returns what an entry of a scenario names, given the path of its keys below the scenario. Of events the first word is their kind.
func (r *read) inScenario(i int, path []string) (list []occurrence) {
	e := &r.entries[i]
	isKey := !e.item && !e.bare
	o := func(of string) occurrence { return occurrence{symbol: symbol{of: of}, entry: i} }
	above := strings.Join(path[:len(path)-1], " ")
	own := strings.Join(path, " ")
	if of := scenarioKeys[above]; of != "" && isKey {
		list = append(list, scenarioWords(o(of), e.keyText(r.text), 0)...)
	}
	if path[0] == "script" && len(path) > 2 {
		list = append(list, r.inScript(i, path[1], path[2:])...)
	}
	if strings.HasPrefix(own, "expect prompt ") && e.style.isScalar() {
		shown := o(ofNode)
		shown.within, _ = cutLast(path[2])
		if path[len(path)-1] == "tools" {
			shown.of = ofTool
			list = append(list, scenarioWords(shown, e.scalar(r.text), 0)...)
		} else {
			list = append(list, parts(choice, shown, e.scalar(r.text))...)
		}
	}
	switch of := scenarioNames[own]; {
	case of == "" || !e.style.isScalar():
	case of == ofRequest:
		list = append(list, requestNames(i, e.scalar(r.text))...)
	default:
		skip := 0
		if strings.HasSuffix(own, "events") {
			skip = 1
		}
		list = append(list, scenarioWords(o(of), e.scalar(r.text), skip)...)
	}
	return list
}

// inScript returns what an entry in the script of a node names, given the keys below the node. The entries of a script may be by element.
func (r *read) inScript(i int, script string, path []string) (list []occurrence) {
	for len(path) > 1 && path[0] == "each" {
		path = path[1:]
	}
	e := &r.entries[i]
	o := occurrence{entry: i}
	var node string
	o.within, node = cutLast(script)
	above, own := strings.Join(path[:len(path)-1], " "), strings.Join(path, " ")
	if o.of = inScripts[own]; o.of != "" && o.of != ofField && e.style.isScalar() {
		list = append(list, scenarioWords(o, e.scalar(r.text), 0)...)
	}
	o.of = inScripts[above]
	if o.of == ofField && above != "given in" {
		o.node = node
	}
	if o.of != "" && o.of != ofNode && !e.item && !e.bare {
		list = append(list, scenarioWords(o, e.keyText(r.text), 0)...)
	}
	if (own == "malformed" || own == "text") && e.style.isScalar() {
		o.of, o.node = ofField, node
		list = append(list, parts(memberName, o, e.scalar(r.text))...)
	}
	if above == "out" && slices.Contains(resolve.RouteFields, path[1]) && e.style.isScalar() {
		o.of, o.node, o.route = ofNode, node, path[1]
		list = append(list, scenarioWords(o, e.scalar(r.text), 0)...)
	}
	return list
}

// cutLast returns what is before the last / of a path, and what is after it.
func cutLast(path string) (before, last string) {
	at := max(strings.LastIndexByte(path, '/'), 0)
	return path[:at], strings.TrimPrefix(path[at:], "/")
}

// scenarioWords returns the names in a text, like an occurrence, except the first ones. Before a name may be a path: the nodes that lead to its graph.
func scenarioWords(like occurrence, w written, skip int) (list []occurrence) {
	text, places := w.decode()
	end, chain := 0, ""
	for n, m := range scenarioWord.FindAllStringIndex(text, -1) {
		o := like
		o.name, o.at, o.end = text[m[0]:m[1]], places[m[0]], places[m[1]]
		if chain = strings.Trim(chain, "/"); m[0] != end+1 || text[end] != '/' {
			chain = like.within
		}
		o.within = chain
		if end = m[1]; strings.HasPrefix(text[end:], "/") {
			o.of, o.node = ofNode, ""
		}
		if chain += "/" + o.name; n >= skip {
			list = append(list, o)
		}
	}
	return list
}

// requestNames returns the nodes and the tool that the ID of a request names, as in 0/help.1/answer.1.refund.1. A node has its visit after it, unlike a
// branch. What has no number is the name of a node or a tool.
func requestNames(entry int, w written) (list []occurrence) {
	text, places := w.decode()
	within := ""
	add := func(of, name string, at int) {
		list = append(list, occurrence{symbol: symbol{of, name}, at: places[at], end: places[at+len(name)], entry: entry, within: within})
	}
	if !strings.Contains(text, ".") {
		add(ofNode, text, 0)
		add(ofTool, text, 0)
		return list
	}
	at := 0
	for part := range strings.SplitSeq(text, "/") {
		words := strings.Split(part, ".")
		end := at
		for i, word := range words {
			switch _, err := strconv.Atoi(word); {
			case len(words) == 1 || err == nil || word == "before" || word == "after":
			case i == 0:
				add(ofNode, word, end)
			default:
				add(ofTool, word, end)
			}
			end += len(word) + 1
		}
		if len(words) > 1 {
			within = strings.TrimPrefix(within+"/"+words[0], "/")
		}
		at += len(part) + 1
	}
	return list
}

// memberName matches the name of a member in a text that is, or nearly is, JSON.
var memberName = regexp.MustCompile(`"([^"\\]+)"\s*:`)

// choice matches a node in the list of a prompt whose model chooses the next one.
var choice = regexp.MustCompile(`(?:^|\n)- ([^\s:]+):`)

// parts returns the names that a group of an expression finds in a text, like an occurrence.
func parts(find *regexp.Regexp, like occurrence, w written) (list []occurrence) {
	text, places := w.decode()
	for _, m := range find.FindAllStringSubmatchIndex(text, -1) {
		o := like
		o.name, o.at, o.end = text[m[2]:m[3]], places[m[2]], places[m[3]]
		list = append(list, o)
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
