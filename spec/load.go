package spec

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec/diag"
)

// MaxFile is the size of the largest file Load reads, in bytes.
const MaxFile = 4 << 20

// maxFindings bounds the diagnostics of one file; the last says how many more there are.
const maxFindings = 200

// Load reads a spec from its YAML text; file is its name for diagnostics. It judges form
// alone: syntax, keys, and the kinds of values. All that is wrong is reported at once,
// each mistake once, in file order.
//
// The graph is nil when the text as a whole cannot be read: it is no YAML, or no mapping.
// Else it holds all that could be read. What was written but could not be read leaves a
// trace, so that later passes can tell it from what is missing and say nothing more about
// it: a Value is Lost, a list or table that could not be read has one lost entry, a
// TypeExpr is of kind TypeNamed with an empty Name, and whatever has a key that could not
// be placed is Unread. A misspelt key that can only be meant for one other is read as that.
//
// The place of a condition (if) is the first character of its Go expression: the one after
// an opening quote, or the first of a block text. Inside double quotes an escape takes
// more columns of the file than of the expression, so a place further into a condition
// is exact only where it is written without quotes, in single quotes or as a literal block.
func Load(file string, text []byte) (*Graph, []diag.Diagnostic) {
	r := &reader{file: file, src: newSource("")}
	g := r.graph(text)
	if g != nil {
		g.Flawed = len(r.found) > 0
	}
	ds := diag.Sort(r.found)
	if more := r.dropped; more > 0 {
		last := &ds[len(ds)-1]
		last.Help = strings.TrimPrefix(fmt.Sprintf("%s; the file has %d more mistakes", last.Help, more), "; ")
	}
	return g, ds
}

// A reader builds a graph from a tree and collects what is wrong with it.
type reader struct {
	file     string
	src      *source
	repaired bool // the source holds U+FFFD in place of what could not be read
	tooDeep  bool // reported
	torn     bool // a section of the graph could not be read, or an entry of one
	guessed  Pos  // of a value that is read under the key that its own is taken for
	found    []diag.Diagnostic
	dropped  int // findings beyond maxFindings
}

func (r *reader) graph(text []byte) *Graph {
	text = slices.Clone(text)
	if !r.admit(text) {
		return nil
	}
	root, ok := r.parse()
	switch {
	case !ok, root.shape == unreadable:
		return nil
	case root.shape != mapping:
		r.report("GG013", root.pos, "expected a mapping with the keys of a graph, found "+root.found(), emptyHelp)
		return nil
	}
	g := &Graph{File: r.file, Source: []byte(r.src.text), Pos: root.pos}
	if g.TypesOnly() {
		readKeys(r, &root, &typesTable, g)
	} else {
		readKeys(r, &root, &graphTable, g)
	}
	g.Unread = g.Unread || r.torn
	return g
}

// admit checks the bytes of the file and makes them the reader's source. It reports
// whether the rest is worth parsing.
func (r *reader) admit(text []byte) bool {
	top := Pos{Line: 1, Col: 1}
	if len(text) > MaxFile {
		r.report("GG005", top, fmt.Sprintf("the file has %d bytes, more than the %d MiB a spec may have", len(text), MaxFile>>20), "split the graph")
		return false
	}
	if s := string(text[:min(2, len(text))]); s == "\xff\xfe" || s == "\xfe\xff" {
		r.report("GG003", top, "the file is UTF-16", utf8Help)
		return false
	}
	repaired, badBytes, badChars := repair([]byte(strings.TrimPrefix(string(text), "\ufeff")))
	r.src = newSource(repaired)
	r.repaired = badBytes.count+badChars.count > 0
	if badBytes.count > 0 {
		r.report("GG003", r.src.place(badBytes.offset), fmt.Sprintf("the byte 0x%X is not UTF-8%s", badBytes.found[0], badBytes.more()), utf8Help)
	}
	if badChars.count > 0 {
		c, _ := utf8.DecodeRuneInString(badChars.found)
		r.report("GG004", r.src.place(badChars.offset), fmt.Sprintf("the character %U is not allowed%s", c, badChars.more()), "remove it, or write it as an escape in double quotes")
	}
	return true
}

const utf8Help = "save the file as UTF-8"

// more says how many flaws there are, unless there is one.
func (f *flaw) more() string {
	if f.count == 1 {
		return ""
	}
	return fmt.Sprintf(" (the first of %d such places)", f.count)
}

// report adds an error.
func (r *reader) report(code string, pos Pos, message, help string) {
	r.add(diag.Diagnostic{Code: code, Pos: pos, Message: message, Help: help})
}

// reportRelated adds an error that another place explains.
func (r *reader) reportRelated(code string, pos Pos, message, help string, other Pos, says string) {
	r.add(diag.Diagnostic{Code: code, Pos: pos, Message: message, Help: help,
		Related: []diag.Related{{Pos: other, Message: says}}})
}

func (r *reader) add(d diag.Diagnostic) {
	if r.guessed.IsSet() && d.Pos == r.guessed {
		return // the key was meant for something else, and has been told
	}
	if len(r.found) == maxFindings {
		r.dropped++
		return
	}
	d.Severity, d.File, d.Pos = diag.Error, r.file, r.src.contain(d.Pos)
	r.found = append(r.found, d)
}

// readKeys reads the values of a mapping to where the table's rows want them.
func readKeys[T any](r *reader, m *tree, t *table[T], to *T) {
	if m.shape != mapping {
		if m.shape != unreadable {
			r.mismatchHelp(m, "a mapping with the keys of "+t.says, t.mapping().keysHelp())
		}
		t.tear(to)
		return
	}
	p := place(r, m, t)
	if p.unplaced > 0 {
		t.tear(to)
	}
	for i, at := range p.rows {
		if at < 0 {
			continue
		}
		key, value, row := &m.items[2*i], &m.items[2*i+1], &t.rows[at]
		guess := key.text != row.Name
		if value.isNull() {
			if !guess && (!row.Empty || value.text != "") {
				r.missing(key, value, &row.Key)
			}
			if row.Empty {
				continue
			}
			value = &tree{pos: value.pos}
		}
		if guess && !r.guessed.IsSet() {
			r.guessed = value.pos
			r.read(value, &row.Key, row.to(to))
			r.guessed = Pos{}
			continue
		}
		r.read(value, &row.Key, row.to(to))
	}
	for _, at := range p.missing {
		row := &t.rows[at]
		if !p.excused() {
			r.report("GG019", m.pos, fmt.Sprintf("%s needs the key %q", t.says, row.Name), "add "+row.Name+": "+row.example())
		}
		r.read(&tree{pos: m.pos}, &row.Key, row.to(to))
	}
}

// read reads a value to its place, whose type says what to make of it. A value that cannot
// be read leaves its trace there.
func (r *reader) read(v *tree, k *Key, to any) {
	switch to := to.(type) {
	case *String:
		if remedy := mappingRemedies[k.Name]; v.shape == mapping && remedy != "" {
			r.mismatchHelp(v, k.expects(), remedy)
			*to = lost(v.pos)
			return
		}
		*to = r.text(v, k)
	case *Value[int]:
		r.int(v, to)
	case *Value[float64]:
		r.number(v, to)
	case *Value[bool]:
		r.bool(v, to)
	case *Value[time.Duration]:
		r.duration(v, to)
	case *[]String:
		*to = r.names(v, k.Form)
	case namesAt:
		*to.names, *to.pos = r.names(v, k.Form), v.pos
	case *[]Transition:
		r.pairs(v, k.Form, func(key, value String) { *to = append(*to, Transition{Key: key, To: value}) })
	case *[]Assignment:
		r.pairs(v, k.Form, func(key, value String) { *to = append(*to, Assignment{Name: key, Field: value}) })
	case labelsAt:
		*to.pos = v.pos
		r.pairs(v, k.Form, func(key, value String) { *to.labels = append(*to.labels, Label{Name: key, To: value}) })
	case branchesAt:
		r.branches(v, to)
	case **Mutations:
		*to = &Mutations{Pos: v.pos}
		readKeys(r, v, &mutationsTable, *to)
	case **OutputMatch:
		*to = r.match(v)
	case *[]Flag:
		*to = r.flags(v)
	case *Limits:
		to.Pos = v.pos
		readKeys(r, v, &limitsTable, to)
	case **LoopUntil:
		*to = &LoopUntil{Pos: v.pos}
		readKeys(r, v, &loopTable, *to)
	case **TypeExpr:
		*to = r.typeExpr(v, k.Form)
	case *[]*Field:
		if k.Form == FormStruct {
			*to = r.structFields(v)
		} else {
			*to = r.stateFields(v)
		}
	case *[]*TypeDecl:
		*to = r.typeDecls(v)
	case *[]Variant:
		*to = r.variants(v)
	case **Scalar:
		*to = r.plainValue(v)
	case *[]*Use:
		r.pairs(v, k.Form, func(key, value String) { *to = append(*to, &Use{Name: key, File: value}) })
	case *[]*Node:
		*to = r.nodes(v)
	case *[]*Edge:
		*to = r.edges(v)
	case *[]*Assertion:
		*to = r.assertions(v)
	default:
		if !r.entries(v, to) {
			panic(fmt.Sprintf("spec: key %s: no way to read a %T", k.Name, to))
		}
	}
}

// expects says what a diagnostic about the key's value expected.
func (k *Key) expects() string {
	switch k.Form {
	case FormWord:
		return "one of " + strings.Join(Names(k.Words), ", ")
	case FormWords:
		return "one or more of " + strings.Join(Names(k.Words), ", ")
	}
	return k.Form.Doc().Expects
}

// example returns a value the key may have.
func (k *Key) example() string {
	switch k.Form {
	case FormWord:
		return k.Words[0].Name
	case FormWords:
		return "[" + k.Words[0].Name + "]"
	}
	return k.Form.Doc().Example
}

// keysHelp lists the mapping's keys.
func (m Mapping) keysHelp() string {
	return "the keys of " + m.Says + " are " + strings.Join(m.names(), ", ")
}

// mismatch reports a value of the wrong shape.
func (r *reader) mismatch(v *tree, want Form) {
	if v.shape != unreadable {
		r.mismatchHelp(v, want.Doc().Expects, "write it as in "+want.Doc().Example)
	}
}

func (r *reader) mismatchHelp(v *tree, want, help string) {
	if v.shape == scalar && strings.ContainsAny(v.text, oddBlanks) && r.reportBlank(v.pos.Line) {
		return
	}
	if v.isNull() {
		r.report("GG015", v.pos, "expected "+want+", found nothing", help)
		return
	}
	r.report("GG013", v.pos, "expected "+want+", found "+v.found(), help)
}

// missing reports a key without a value.
func (r *reader) missing(key, value *tree, k *Key) {
	pos, help := key.pos, "write it as in "+key.text+": "+k.example()
	if !k.Required {
		help += ", or leave the key out"
	}
	if value.text != "" {
		pos = value.pos
	}
	r.report("GG015", pos, fmt.Sprintf("the key %s has no value, expected %s", quote(key.text), k.expects()), help)
}

// unknownKey reports a key that its mapping does not have, with the best advice there is:
// a key it resembles, else the mapping it belongs to, else the keys there are.
func (r *reader) unknownKey(key, value *tree, in Mapping, near string) {
	help := in.keysHelp()
	if instead, foreign := schemaKeys[key.text]; foreign && slices.Contains(typeMappings, in.Name) {
		r.report("GG012", key.pos, fmt.Sprintf("unknown key %s in %s: it is of JSON Schema, which types do not follow here", quote(key.text), in.Says), instead)
		return
	}
	if remedy := remedyOf(in.Name, key.text); remedy != "" {
		help = remedy
	} else if near != "" {
		help = fmt.Sprintf("did you mean %q?", near)
	} else if owners := keyOwners(key.text); len(owners) > 0 {
		help = fmt.Sprintf("%q is a key of %s", key.text, strings.Join(owners, " and of "))
	} else if value.isNull() && value.text == "" {
		help += "; inside { } a text that contains a comma needs quotes"
	}
	r.report("GG012", key.pos, fmt.Sprintf("unknown key %s in %s", quote(key.text), in.Says), help)
}

// keyOwners names the mappings that have a key.
func keyOwners(key string) (owners []string) {
	for _, m := range Reference() {
		if slices.ContainsFunc(m.Keys, func(k Key) bool { return k.Name == key }) {
			owners = append(owners, m.Says)
		}
	}
	return owners
}
