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
		at, end, text, ok = addKey(r, from, f.Key+": "+f.Value)
	case diag.Replacing:
		title = "write " + f.Key + ":"
		at, end, text, ok = replaceKey(r, from, to, f.Key)
	case diag.Renaming:
		title = "write " + strconv.Quote(f.Value)
		at, end, text, ok = replaceName(r, from, to, f.Value)
	case diag.Removing:
		title = "remove it"
		at, end, ok = removeEntry(r, from, to)
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

// replaceName writes another name. One in quotes stays in them.
func replaceName(r *read, from, to int, name string) (int, int, string, bool) {
	if to-from >= 2 && strings.IndexByte(`"'`, r.text[from]) >= 0 && r.text[to-1] == r.text[from] {
		from, to = from+1, to-1
	}
	if word := r.text[from:to]; bytes.HasPrefix(word, []byte("{{")) {
		return from, to, "{{" + name + "}}", true
	}
	return from, to, name, from < to
}

// replaceKey writes another key if there is a key at the place.
func replaceKey(r *read, from, to int, key string) (int, int, string, bool) {
	i := r.at(from)
	if i < 0 || r.entries[i].keyAt != from || r.entries[i].key2 != to || r.entries[i].item || r.child(r.entries[i].parent, key) >= 0 {
		return 0, 0, "", false
	}
	return from, to, key, true
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

// removeEntry removes an entry: its lines, or between brackets it and the comma that follows or precedes it.
func removeEntry(r *read, from, to int) (at, end int, ok bool) {
	i := r.at(from)
	if i < 0 {
		return 0, 0, false
	}
	e := &r.entries[i]
	isKey := e.keyAt == from && e.key2 >= to && !e.item
	isItem := e.item && (e.at == from || e.at == from+1 && e.style != plain)
	if e.keyAt > from && e.parent >= 0 && r.entries[e.parent].item { // an edge, whose diagnostics point to its first key or its bracket
		i = e.parent
		e = &r.entries[i]
		isItem = true
	}
	if !isKey && !isItem || len(r.children(e.parent)) < 2 {
		return 0, 0, false
	}
	if e.block >= 0 {
		begin := bytes.LastIndexByte(r.text[:e.keyAt], '\n') + 1
		if len(bytes.TrimLeft(r.text[begin:e.keyAt], " ")) > 0 {
			return 0, 0, false // the first key of an item
		}
		end = e.to
		if n := bytes.IndexByte(r.text[end:], '\n'); n >= 0 {
			end += n + 1
		}
		return begin, end, true
	}
	at, end = e.keyAt, e.to
	if e.item {
		at = min(e.keyAt, e.at)
		if e.style == single || e.style == double {
			end = e.end + 1
		}
	}
	rest := bytes.TrimLeft(r.text[end:], " \t\r\n")
	if bytes.HasPrefix(rest, []byte(",")) {
		end = len(r.text) - len(bytes.TrimLeft(rest[1:], " \t"))
		return at, end, true
	}
	before := bytes.TrimRight(r.text[:at], " \t\r\n")
	if bytes.HasSuffix(before, []byte(",")) {
		return len(before) - 1, end, true
	}
	return 0, 0, false
}

// addKey adds a key to the mapping at a place.
func addKey(r *read, from int, text string) (int, int, string, bool) {
	if from < len(r.text) && r.text[from] == '{' {
		if rest := bytes.TrimLeft(r.text[from+1:], " \t\r\n"); !bytes.HasPrefix(rest, []byte("}")) {
			text += ", "
		}
		return from + 1, from + 1, text, true
	}
	i := r.at(from)
	if i < 0 || r.entries[i].block < 0 || r.entries[i].keyAt != from {
		return 0, 0, "", false
	}
	return from, from, text + "\n" + strings.Repeat(" ", r.entries[i].block), true
}

// RemoveEntry returns a spec without the entry whose value is at an offset: its lines, or between brackets it and a comma. It returns nil
// where the entry cannot be removed by itself.
func RemoveEntry(path string, text []byte, offset int) []byte {
	r := readOutline(text, mappingOf(path))
	i := r.at(offset)
	if i < 0 {
		return nil
	}
	at, end, ok := removeEntry(r, r.entries[i].keyAt, r.entries[i].key2)
	if !ok {
		return nil
	}
	return append(bytes.Clone(text[:at]), text[end:]...)
}
