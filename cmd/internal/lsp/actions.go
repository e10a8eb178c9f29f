package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"
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

// A remedy is a change that a help describes.
type remedy struct {
	help  *regexp.Regexp
	title string // with groups of the help
	edit  func(r *read, from, to int, groups []string) (at, end int, text string, ok bool)
}

// remedies are the helps that can be followed, each with what is changed.
var remedies = []remedy{
	{regexp.MustCompile(`did you mean "([^"]+)"\?`), `write "$1"`, replaceName},
	{regexp.MustCompile(`^put quotes around it`), "put quotes around it", quote},
	{regexp.MustCompile(`^leave the quotes out`), "leave the quotes out", unquote},
	{regexp.MustCompile(`^write ([a-z_]+): `), "write $1:", replaceKey},
	{regexp.MustCompile(`^remove (?:it|the flag|the edge)(?:$|[,;:])`), "remove it", removeEntry},
	{regexp.MustCompile(`^add ([a-z_]+): ([^\s,]+|'[^']*'|"[^"]*"|\[[^\]]*\]|\{[^}]*\})$`), "add $1: $2", addKey},
}

// codeActions returns the changes that the helps of diagnostics describe.
func codeActions(_ context.Context, s *Server, p *codeActionParams) (any, error) {
	list := []codeAction{}
	d, err := s.document(p.TextDocument)
	if err != nil || !d.isSpec() {
		return list, err
	}
	for _, g := range p.Context.Diagnostics {
		var is struct{ Help string }
		if json.Unmarshal(cmpRaw(g.Data), &is) != nil || is.Help == "" {
			continue
		}
		for _, m := range remedies {
			groups := m.help.FindStringSubmatch(is.Help)
			if groups == nil {
				continue
			}
			from, to := d.text.offset(g.Range.Start), d.text.offset(g.Range.End)
			at, end, text, ok := m.edit(d.outline(), from, to, groups)
			if !ok {
				continue
			}
			title := string(m.help.ExpandString(nil, m.title, is.Help, m.help.FindStringSubmatchIndex(is.Help)))
			list = append(list, codeAction{Title: title, Kind: "quickfix", Diagnostics: []Diagnostic{g}, IsPreferred: len(list) == 0,
				Edit: workspaceEdit{map[string][]textEdit{d.uri: {{d.text.span(at, end), text}}}}})
		}
	}
	return list, nil
}

// replaceName writes another name. One in quotes stays in them.
func replaceName(r *read, from, to int, groups []string) (int, int, string, bool) {
	if to-from >= 2 && strings.IndexByte(`"'`, r.text[from]) >= 0 && r.text[to-1] == r.text[from] {
		from, to = from+1, to-1
	}
	if word := r.text[from:to]; bytes.HasPrefix(word, []byte("{{")) {
		return from, to, "{{" + groups[1] + "}}", true
	}
	return from, to, groups[1], from < to
}

// replaceKey writes another key if there is a key at the place.
func replaceKey(r *read, from, to int, groups []string) (int, int, string, bool) {
	i := r.at(from)
	if i < 0 || r.entries[i].keyAt != from || r.entries[i].key2 != to || r.entries[i].item || r.child(r.entries[i].parent, groups[1]) >= 0 {
		return 0, 0, "", false
	}
	return from, to, groups[1], true
}

// quote puts a scalar in quotes.
func quote(r *read, from, to int, _ []string) (int, int, string, bool) {
	i := r.at(from)
	if i < 0 || r.entries[i].at != from || r.entries[i].style != plain || bytes.ContainsAny(r.text[from:r.entries[i].end], `"\`) {
		return 0, 0, "", false
	}
	return from, r.entries[i].end, `"` + string(r.text[from:r.entries[i].end]) + `"`, true
}

// unquote takes a scalar out of quotes.
func unquote(r *read, from, _ int, _ []string) (int, int, string, bool) {
	i := r.at(from)
	if i < 0 || r.entries[i].at != from+1 || r.entries[i].style != single && r.entries[i].style != double {
		return 0, 0, "", false
	}
	e := &r.entries[i]
	return from, e.end + 1, string(r.text[e.at:e.end]), true
}

// removeEntry removes an entry: its lines, or between brackets it and the comma that follows or precedes it.
func removeEntry(r *read, from, to int, _ []string) (int, int, string, bool) {
	i := r.at(from)
	if i < 0 {
		return 0, 0, "", false
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
		return 0, 0, "", false
	}
	if e.block >= 0 {
		begin := bytes.LastIndexByte(r.text[:e.keyAt], '\n') + 1
		if len(bytes.TrimLeft(r.text[begin:e.keyAt], " ")) > 0 {
			return 0, 0, "", false // the first key of an item
		}
		end := e.to
		if n := bytes.IndexByte(r.text[end:], '\n'); n >= 0 {
			end += n + 1
		}
		return begin, end, "", true
	}
	at, end := e.keyAt, e.to
	if e.item {
		at = min(e.keyAt, e.at)
		if e.style == single || e.style == double {
			end = e.end + 1
		}
	}
	rest := bytes.TrimLeft(r.text[end:], " \t\r\n")
	if bytes.HasPrefix(rest, []byte(",")) {
		end = len(r.text) - len(bytes.TrimLeft(rest[1:], " \t"))
		return at, end, "", true
	}
	before := bytes.TrimRight(r.text[:at], " \t\r\n")
	if bytes.HasSuffix(before, []byte(",")) {
		return len(before) - 1, end, "", true
	}
	return 0, 0, "", false
}

// addKey adds a key to the mapping at a place.
func addKey(r *read, from, _ int, groups []string) (int, int, string, bool) {
	if from < len(r.text) && r.text[from] == '{' {
		text := groups[1] + ": " + groups[2]
		if rest := bytes.TrimLeft(r.text[from+1:], " \t\r\n"); !bytes.HasPrefix(rest, []byte("}")) {
			text += ", "
		}
		return from + 1, from + 1, text, true
	}
	i := r.at(from)
	if i < 0 || r.entries[i].block < 0 || r.entries[i].keyAt != from {
		return 0, 0, "", false
	}
	return from, from, groups[1] + ": " + groups[2] + "\n" + strings.Repeat(" ", r.entries[i].block), true
}

// RemoveEntry returns a spec without the entry whose value is at an offset: its lines, or between brackets it and a comma. It returns nil
// where the entry cannot be removed by itself.
func RemoveEntry(path string, text []byte, offset int) []byte {
	r := readOutline(text, mappingOf(path))
	i := r.at(offset)
	if i < 0 {
		return nil
	}
	at, end, _, ok := removeEntry(r, r.entries[i].keyAt, r.entries[i].key2, nil)
	if !ok {
		return nil
	}
	return append(bytes.Clone(text[:at]), text[end:]...)
}
