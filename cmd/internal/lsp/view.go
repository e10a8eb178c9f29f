package lsp

import (
	"context"
	"slices"
	"strings"
)

// A documentSymbol is an entry of the outline that editors show.
type documentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange Range            `json:"selectionRange"`
	Children       []documentSymbol `json:"children,omitempty"`
}

// symbolKinds are the kinds of symbols, as the protocol numbers them.
var symbolKinds = map[string]int{ofNode: 6, ofField: 8, ofTool: 12, ofType: 5, ofSkill: 2, ofTemplate: 5}

const symbolKey = 3 // a namespace: a section

// documentSymbols returns the sections of a spec, and what they declare.
func documentSymbols(_ context.Context, s *Server, p *documentParams) (any, error) {
	d, err := s.document(p.TextDocument)
	if err != nil || !d.isSpec() {
		return []documentSymbol{}, err
	}
	r := d.outline()
	list := []documentSymbol{}
	for _, i := range r.children(-1) {
		e := &r.entries[i]
		if e.bare || e.item {
			continue
		}
		section := r.symbol(d.text, i, symbolKey)
		for _, j := range r.children(i) {
			if of := r.slots[i].declares; of != "" && !r.entries[j].bare && !r.entries[j].item {
				section.Children = append(section.Children, r.symbol(d.text, j, max(symbolKinds[of], symbolKey)))
			}
		}
		list = append(list, section)
	}
	return list, nil
}

// symbol returns an entry as a symbol.
func (r *read) symbol(t *text, i, kind int) documentSymbol {
	e := &r.entries[i]
	name := decode(e.keyText(r.text))
	if name == "" {
		name = `""`
	}
	return documentSymbol{Name: name, Detail: firstLine(r.about(i)), Kind: kind, Range: t.span(e.keyAt, e.to), SelectionRange: t.span(e.keyAt, e.key2)}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

type foldingRange struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

// foldingRanges returns the entries that have several lines.
func foldingRanges(_ context.Context, s *Server, p *documentParams) (any, error) {
	d, err := s.document(p.TextDocument)
	if err != nil || strings.HasSuffix(d.abs, ".go") {
		return []foldingRange{}, err
	}
	list := []foldingRange{}
	for _, e := range d.outline().entries {
		from, to := d.text.position(e.keyAt).Line, d.text.position(max(e.to-1, e.keyAt)).Line
		if to > from && (len(list) == 0 || list[len(list)-1].StartLine != from) {
			list = append(list, foldingRange{from, to})
		}
	}
	return list, nil
}

// tokenTypes are the types of semantic tokens: a placeholder is a variable, what an expression names of the state is a property, and a name of a node a
// function.
var tokenTypes = []string{"variable", "property", "function"}

const (
	tokenPlaceholder = iota
	tokenField
	tokenNode
)

// semanticTokens returns the placeholders of a spec or of the file of a prompt, and the names of fields and nodes.
func semanticTokens(_ context.Context, s *Server, p *documentParams) (any, error) {
	d, err := s.document(p.TextDocument)
	if err != nil {
		return nil, err
	}
	type token struct{ at, end, kind int }
	var tokens []token
	for _, o := range d.occurrences() {
		switch {
		case o.text:
			tokens = append(tokens, token{o.at, o.end, tokenPlaceholder})
		case o.of == ofField && !o.def:
			tokens = append(tokens, token{o.at, o.end, tokenField})
		case o.of == ofNode:
			tokens = append(tokens, token{o.at, o.end, tokenNode})
		}
	}
	slices.SortFunc(tokens, func(a, b token) int { return a.at - b.at })
	data := []int{}
	var last Position
	for _, t := range tokens {
		from, to := d.text.position(t.at), d.text.position(t.end)
		if from.Line != to.Line || t.at == t.end {
			continue
		}
		column := from.Character
		if from.Line == last.Line {
			column -= last.Character
		}
		data = append(data, from.Line-last.Line, column, to.Character-from.Character, t.kind, 0)
		last = from
	}
	return map[string]any{"data": data}, nil
}
