package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
)

type codeActionParams struct {
	TextDocument textDocument `json:"textDocument"`
	Range        Range        `json:"range"`
	Context      struct {
		Diagnostics []Diagnostic `json:"diagnostics"`
	} `json:"context"`
}

// A codeAction is a change that mends what a diagnostic reports.
type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []Diagnostic  `json:"diagnostics"`
	IsPreferred bool          `json:"isPreferred"`
	Edit        workspaceEdit `json:"edit"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

// A fix is a change that a help describes, as graphgen check -json writes it.
type fix struct {
	Do         diag.Fix
	Key, Value string
}

// edit returns the title of a fix of what is at a place, and the text to write from one offset to another.
func (f *fix) edit(r *read, from, to int) (title string, at, end int, text string, ok bool) {
	switch f.Do {
	case diag.Adding:
		title = "add " + f.Key + ": " + f.Value
		at, end, text, ok = addKey(r, from, f.Key, f.Value)
	case diag.Replacing:
		title = "write " + f.Key + ":"
		at, end, text, ok = replaceKey(r, from, f.Key)
	case diag.Renaming:
		title = "write " + strconv.Quote(f.Value)
		at, end, text, ok = replaceName(r, from, to, f.Value)
	case diag.Removing:
		title = "remove it"
		at, end, ok = removeEntry(r, from)
	case diag.Quoting:
		title = "put quotes around it"
		at, end, text, ok = quote(r, from)
	case diag.Unquoting:
		title = "leave the quotes out"
		at, end, text, ok = unquote(r, from)
	}
	return title, at, end, text, ok
}

// codeActions returns the changes that the helps of diagnostics describe.
func codeActions(_ context.Context, s *Server, p *codeActionParams) (any, error) {
	list := []codeAction{}
	d, err := s.document(p.TextDocument)
	if err != nil || !d.isSpec() {
		return list, err
	}
	for _, g := range p.Context.Diagnostics {
		var is struct{ Fixes []fix }
		if json.Unmarshal(cmpRaw(g.Data), &is) != nil {
			continue
		}
		for _, f := range is.Fixes {
			title, at, end, text, ok := f.edit(d.outline(), d.text.offset(g.Range.Start), d.text.offset(g.Range.End))
			if ok {
				list = append(list, codeAction{Title: title, Kind: "quickfix", Diagnostics: []Diagnostic{g}, IsPreferred: len(list) == 0,
					Edit: workspaceEdit{map[string][]textEdit{d.uri: {{d.text.span(at, end), text}}}}})
			}
		}
	}
	return list, nil
}

// replaceName writes another name. One in quotes of YAML stays in them.
func replaceName(r *read, from, to int, name string) (int, int, string, bool) {
	i := r.at(from)
	if within := i >= 0 && r.entries[i].inScalar(from); to-from >= 2 && strings.IndexByte(`"'`, r.text[from]) >= 0 && !within {
		from, to = from+1, to-1
	}
	if word := r.text[from:to]; bytes.HasPrefix(word, []byte("{{")) {
		return from, to, "{{" + name + "}}", true
	}
	return from, to, name, from < to
}

// replaceKey writes another key for the entry that is at a place, or whose value is.
func replaceKey(r *read, from int, key string) (int, int, string, bool) {
	i := r.at(from)
	if i < 0 || !r.entries[i].begins(from) {
		return 0, 0, "", false
	}
	e := &r.entries[i]
	if e.item && e.at == from && len(r.children(e.parent)) > 0 { // the first of a list
		e = &r.entries[e.parent]
	}
	return e.keyAt, e.key2, key, !e.item && r.child(e.parent, key) < 0
}

// quote puts a scalar in quotes.
func quote(r *read, from int) (int, int, string, bool) {
	i := r.at(from)
	if i < 0 || r.entries[i].at != from || r.entries[i].style != plain || bytes.ContainsAny(r.text[from:r.entries[i].end], `"\`) {
		return 0, 0, "", false
	}
	return from, r.entries[i].end, `"` + string(r.text[from:r.entries[i].end]) + `"`, true
}

// unquote takes a scalar out of quotes.
func unquote(r *read, from int) (int, int, string, bool) {
	i := r.at(from)
	if i < 0 || r.entries[i].at != from+1 || r.entries[i].style != single && r.entries[i].style != double {
		return 0, 0, "", false
	}
	e := &r.entries[i]
	return from, e.end + 1, string(r.text[e.at:e.end]), true
}

// begins reports whether an entry, or its value, begins at an offset.
func (e *entry) begins(from int) bool {
	return e.keyAt == from || e.at == from || e.at == from+1 && (e.style == single || e.style == double)
}

// whole returns the entry to remove with one: the edge of a from or a to, and what has nothing else, a flag with settings, a list or a
// section of the file.
func (r *read) whole(i int) int {
	e := &r.entries[i]
	if e.parent < 0 {
		return i
	}
	in := &r.entries[e.parent]
	end := in.item && (e.key == "from" || e.key == "to")
	if end || (e.item || in.item || in.parent < 0) && len(r.children(e.parent)) == 1 {
		return r.whole(e.parent)
	}
	return i
}

// removeEntry removes the entry that is at a place, or whose value is: its lines, or between brackets it and a comma.
func removeEntry(r *read, from int) (at, end int, ok bool) {
	i := r.at(from)
	if i < 0 {
		return 0, 0, false
	}
	if e := &r.entries[i]; e.keyAt > from && e.parent >= 0 && r.entries[e.parent].item { // the bracket of an edge
		i = e.parent
	} else if !e.begins(from) {
		return 0, 0, false
	}
	e := &r.entries[r.whole(i)]
	if e.block >= 0 {
		begin := bytes.LastIndexByte(r.text[:e.keyAt], '\n') + 1
		if len(r.children(e.parent)) < 2 || len(bytes.TrimLeft(r.text[begin:e.keyAt], " ")) > 0 {
			return 0, 0, false // the mapping would be empty, or the key is the first of an item
		}
		end = e.to
		if n := bytes.IndexByte(r.text[end:], '\n'); n >= 0 {
			end += n + 1
		}
		return begin, end, true
	}
	at, end = e.keyAt, r.endOf(e)
	if e.item {
		at = min(e.keyAt, e.at)
	}
	rest, before := bytes.TrimLeft(r.text[end:], " \t\r\n"), bytes.TrimRight(r.text[:at], " \t\r\n")
	switch {
	case bytes.HasPrefix(rest, []byte(",")):
		return at, len(r.text) - len(bytes.TrimLeft(rest[1:], " \t")), true
	case bytes.HasSuffix(before, []byte(",")):
		return len(before) - 1, end, true
	}
	return at, end, bytes.HasPrefix(rest, []byte("}"))
}

// endOf returns the end of an entry with its quotes.
func (r *read) endOf(e *entry) int {
	if e.to == e.end && (e.style == single || e.style == double) {
		return e.to + 1
	}
	return e.to
}

// addKey returns the edit that adds a key to a mapping. The mapping begins at the place, or has an entry whose value begins there. If it has the key,
// the edit replaces the key's value.
func addKey(r *read, from int, key, value string) (int, int, string, bool) {
	text := key + ": " + value
	if from < len(r.text) && r.text[from] == '{' {
		if rest := bytes.TrimLeft(r.text[from+1:], " \t\r\n"); !bytes.HasPrefix(rest, []byte("}")) {
			text += ", "
		}
		return from + 1, from + 1, text, true
	}
	i := r.at(from)
	if i < 0 || !r.entries[i].begins(from) {
		return 0, 0, "", false
	}
	for i >= 0 && r.entries[i].item {
		i = r.entries[i].parent
	}
	if i < 0 {
		return 0, 0, "", false
	}
	if has := r.child(r.entries[i].parent, key); has >= 0 {
		e := &r.entries[has]
		return e.at, e.end, value, e.style == plain
	}
	e := &r.entries[i]
	indent := strings.Repeat(" ", max(0, e.block))
	switch {
	case e.block < 0:
		return r.endOf(e), r.endOf(e), ", " + text, true
	case e.keyAt == from: // the mapping begins there
		return from, from, text + "\n" + indent, true
	}
	return r.endOf(e), r.endOf(e), "\n" + indent + text, true
}

// RemoveEntry returns a spec without the entry whose value is at an offset: its lines, or between brackets it and a comma. It returns nil
// where the entry cannot be removed by itself.
func RemoveEntry(path string, text []byte, offset int) []byte {
	at, end, ok := removeEntry(readOutline(text, mappingOf(path)), offset)
	if !ok {
		return nil
	}
	return append(bytes.Clone(text[:at]), text[end:]...)
}
