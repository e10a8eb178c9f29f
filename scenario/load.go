package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// Load reads a scenario file; path is its name for diagnostics. It judges form alone: what
// the names mean is the graph's to say. The file is nil when the text as a whole cannot be
// read; else it holds all that could be read.
func Load(path string, text []byte) (*File, []diag.Diagnostic) {
	root, found := parse(path, text)
	if root == nil {
		return nil, diag.Sort(found)
	}
	r := &reader{file: path}
	f := &File{Path: path, Source: text}
	readKeys(r, root, &fileKeys, f)
	r.unique(f)
	return f, diag.Sort(r.found)
}

// A reader collects what is wrong with a file.
type reader struct {
	file  string
	found []diag.Diagnostic
}

func (r *reader) report(code string, pos spec.Pos, message, help string) {
	r.found = append(r.found, diag.Diagnostic{Code: code, File: r.file, Pos: pos, Message: message, Help: help})
}

// A table says what the keys of a mapping are.
type table[T any] struct {
	says string // "an entry of a script"
	keys []key[T]
}

// A key is a row of a table.
type key[T any] struct {
	name     string
	example  string
	doc      string
	required bool
	read     func(*reader, *Value, *T)
}

// readKeys reads the values of a mapping to where the rows of its table want them.
func readKeys[T any](r *reader, m *Value, t *table[T], to *T) {
	if m.Kind != Map {
		r.mismatch(m, "a mapping with the keys of "+t.says, "its keys are "+strings.Join(t.names(), ", "))
		return
	}
	rows, missing := place(r, m, t)
	for i, at := range rows {
		name, value := &m.Items[2*i], &m.Items[2*i+1]
		switch {
		case at < 0:
		case value.Kind == Null:
			r.report("GG203", name.Pos, fmt.Sprintf("the key %q has no value", name.Text),
				"write it as in "+name.Text+": "+t.keys[at].example+", or leave the key out")
		default:
			t.keys[at].read(r, value, to)
		}
	}
	for _, k := range missing {
		r.report("GG202", m.Pos, fmt.Sprintf("%s needs the key %q", t.says, k.name), "add "+k.name+": "+k.example)
	}
}

// place finds the rows of a mapping's keys, -1 for a key that has none, and reports those.
// A key that resembles one which is not written is taken for it. The required rows without a
// key are missing, unless the keys that have no row may be meant to be theirs.
func place[T any](r *reader, m *Value, t *table[T]) (rows []int, missing []key[T]) {
	names := t.names()
	taken, unplaced := make([]bool, len(names)), 0
	for i := 0; i < len(m.Items); i += 2 {
		at := slices.Index(names, m.Items[i].Text)
		rows = append(rows, at)
		if at >= 0 {
			taken[at] = true
		}
	}
	for i := range rows {
		if rows[i] >= 0 {
			continue
		}
		near, _ := diag.Suggest(m.Items[2*i].Text, names)
		r.unknownKey(&m.Items[2*i], t.says, names, near)
		if at := slices.Index(names, near); at >= 0 && !taken[at] {
			rows[i], taken[at] = at, true
		} else {
			unplaced++
		}
	}
	for at, k := range t.keys {
		if k.required && !taken[at] {
			missing = append(missing, k)
		}
	}
	if unplaced >= len(missing) {
		missing = nil
	}
	return rows, missing
}

func (t *table[T]) names() []string {
	var names []string
	for _, k := range t.keys {
		names = append(names, k.name)
	}
	return names
}

func (r *reader) unknownKey(key *Value, reason string, names []string, near string) {
	help := "the keys of " + reason + " are " + strings.Join(names, ", ")
	if near != "" {
		help = fmt.Sprintf("did you mean %q?", near)
	}
	r.report("GG201", key.Pos, fmt.Sprintf("unknown key %s in %s", quote(key.Text), reason), help)
}

// mismatch reports a value of the wrong kind.
func (r *reader) mismatch(v *Value, want, help string) {
	if v.Kind != Unreadable {
		r.report("GG203", v.Pos, "expected "+want+", found "+v.found(), help)
	}
}

// unique reports scenarios of the name of one before.
func (r *reader) unique(f *File) {
	first := make(map[string]spec.Pos)
	for _, s := range f.Scenarios {
		before, dup := first[s.Name.V]
		if !dup {
			first[s.Name.V] = s.Name.Pos
		} else if s.Name.V != "" {
			r.found = append(r.found, diag.Diagnostic{
				Code: "GG204", File: r.file, Pos: s.Name.Pos, Message: "a second scenario has the name " + quote(s.Name.V),
				Related: []diag.Related{{Pos: before, Message: "the first one is here"}}, Help: "say what this one is about",
			})
		}
	}
}

// text reads a text that is not empty.
func (r *reader) text(v *Value, want string) spec.String {
	switch {
	case v.Kind != Text && v.Kind != List && v.Kind != Map:
		r.mismatch(v, want, "put quotes around it")
	case v.Kind != Text:
		r.mismatch(v, want, "write it without brackets and dashes")
	case strings.TrimSpace(v.Text) == "":
		r.report("GG203", v.Pos, "expected "+want+", found an empty text", "write it, or leave the key out")
	default:
		return spec.String{V: strings.TrimRight(v.Text, "\n"), Pos: v.Pos}
	}
	return spec.String{Pos: v.Pos}
}

// names reads a list of names. Those that cannot be read are left out.
func (r *reader) names(v *Value) []spec.String {
	names := []spec.String{}
	if v.Kind != List {
		r.mismatch(v, "a list of names", "write it as in [draft, critic]")
		return names
	}
	for i := range v.Items {
		if name := r.text(&v.Items[i], "a name"); name.V != "" {
			names = append(names, name)
		}
	}
	return names
}

// pairs calls read for every entry of a mapping.
func (r *reader) pairs(v *Value, want, help string, read func(name spec.String, value *Value)) {
	if v.Kind != Map {
		r.mismatch(v, want, help)
		return
	}
	for i := 0; i < len(v.Items); i += 2 {
		read(spec.String{V: v.Items[i].Text, Pos: v.Items[i].Pos}, &v.Items[i+1])
	}
}

// count reads a number of things.
func (r *reader) count(v *Value) spec.Value[int] {
	if v.Kind != Int {
		r.mismatch(v, "a whole number", "write it with digits, as in 3")
		return spec.Value[int]{}
	}
	n, err := strconv.ParseInt(v.Text, 10, 32)
	if err != nil || n < 0 {
		r.report("GG203", v.Pos, "expected a whole number from 0, found "+short(v.Text), "write it with digits, as in 3")
		return spec.Value[int]{}
	}
	return spec.Value[int]{V: int(n), Pos: v.Pos}
}

// amount reads an amount of money.
func (r *reader) amount(v *Value) spec.Value[float64] {
	f, err := strconv.ParseFloat(v.Text, 64)
	if v.Kind != Int && v.Kind != Float || err != nil || !(f >= 0) || math.IsInf(f, 0) {
		r.mismatch(v, "an amount of US dollars", "write it as in 0.01")
		return spec.Value[float64]{}
	}
	return spec.Value[float64]{V: f, Pos: v.Pos}
}

func (r *reader) bool(v *Value) spec.Value[bool] {
	if v.Kind != Bool {
		r.mismatch(v, "true or false", "write true or false, without quotes")
		return spec.Value[bool]{}
	}
	return spec.Value[bool]{V: strings.EqualFold(v.Text, "true"), Pos: v.Pos}
}

// yes reads a key whose only value is true.
func (r *reader) yes(v *Value) bool {
	b := r.bool(v)
	if b.IsSet() && !b.V {
		r.report("GG203", v.Pos, "expected true, found false", "leave the key out")
	}
	return b.V
}

func (r *reader) duration(v *Value) spec.Value[time.Duration] {
	d, err := time.ParseDuration(v.Text)
	switch {
	case v.Kind == Text && err == nil && d <= 0:
		r.report("GG203", v.Pos, "expected more than nothing, found "+quote(v.Text), "write a duration above 0, or leave the key out")
		return spec.Value[time.Duration]{}
	case v.Kind != Text || err != nil:
		r.mismatch(v, "a duration", "write numbers with units, as in 500ms, 30s or 1m30s")
		return spec.Value[time.Duration]{}
	}
	return spec.Value[time.Duration]{V: d, Pos: v.Pos}
}

// longest is how much of an author's text a message repeats.
const longest = 40

func short(s string) string {
	if utf8.RuneCountInString(s) <= longest {
		return s
	}
	return string([]rune(s)[:longest]) + "…"
}

func quote(s string) string { return strconv.Quote(short(s)) }
