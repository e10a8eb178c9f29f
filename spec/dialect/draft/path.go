package draft

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Place is a property of a node's answer, as a Go expression sees it.
type Place struct {
	Expr    string // its value: out.Issue.Title
	Present string // the condition that it is there; "": it always is
	Type    string // the text of its type, without ?

	segments []string
	d        *Draft
	sample   Tree // a value of its type
}

// Path returns the place of a dotted path of properties, or why it has none. A path into a list has none.
func (s *Schema) Path(path string) (p Place, why string) {
	p = Place{Expr: "out", d: s.d}
	var present []string
	schema := s.follow(s.root)
	for segment := range strings.SplitSeq(path, ".") {
		properties := schema.Get("properties")
		switch {
		case strings.Contains(path, "[") || strings.Contains(path, ":"):
			return p, "conditions do not look at the elements of a list"
		case properties == nil || properties.Get(segment) == nil || !goname.Valid(segment):
			return p, "the schema of the output has no such property"
		}
		schema = s.follow(properties.Get(segment))
		typ, ok := s.d.fieldType(p.Type, s.named, segment)
		if !ok {
			return p, "the schema of the output has no such property"
		}
		p.Expr += "." + goname.Exported(segment)
		p.segments = append(p.segments, segment)
		if p.Type = strings.TrimPrefix(typ, "?"); p.Type != typ {
			present = append(present, p.Expr+" != nil")
			p.sample = s.d.sample(p.Type)
			if p.Type == "string" || p.Type == "int" || p.Type == "float" || p.Type == "bool" || s.d.Types.Get(p.Type) != nil &&
				s.d.Types.Get(p.Type).Get("enum") != nil {
				p.Expr = "*" + p.Expr
			}
		}
	}
	p.Present = strings.Join(present, " && ")
	return p, ""
}

// fieldType returns the type text of a field of a declared struct.
func (d *Draft) fieldType(of, root, field string) (string, bool) {
	of = cmp.Or(of, root)
	t := d.Types.Get(of)
	if t == nil {
		return "", false
	}
	if inner := t.Get("struct"); inner != nil {
		t = inner
	}
	f := t.Get(field)
	switch {
	case f == nil:
		return "", false
	case f.Kind == yamlread.Map:
		f = f.Get("type")
	}
	if f == nil {
		return "", false
	}
	return f.Text, true
}

// Value returns a value of the foreign file as a Go expression of the place's type.
func (p *Place) Value(v *Tree) (string, bool) {
	enum := p.d.Types.Get(p.Type)
	switch {
	case enum != nil && enum.Get("enum") != nil && v.Kind == yamlread.Text:
		for _, name := range enum.Get("enum").Items {
			if name.Text == v.Text {
				return goname.Exported(p.Type) + goname.Exported(v.Text), true
			}
		}
	case p.Type == "string" && v.Kind == yamlread.Text:
		return strconv.Quote(v.Text), true
	case p.Type == "bool" && v.Kind == yamlread.Bool:
		return strings.ToLower(v.Text), true
	case p.Type == "int" && v.Kind == yamlread.Int, p.Type == "float" && (v.Kind == yamlread.Int || v.Kind == yamlread.Float):
		if _, err := strconv.ParseFloat(v.Text, 64); err == nil && !strings.ContainsAny(v.Text, "_xXoO") {
			return v.Text, true
		}
	}
	return "", false
}

// Set returns an answer of the scenario with a value at the place.
func (p *Place) Set(answer *Tree, value Tree) *Tree {
	if answer == nil || answer.Kind != yamlread.Map {
		return answer
	}
	out := copyOf(answer)
	at := &out
	for i, s := range p.segments {
		if i == len(p.segments)-1 {
			patch(at, s, value)
			break
		}
		if at.Get(s) == nil {
			at.Add(s, yamlread.MapTree(Pos{}))
		}
		at = at.Get(s)
	}
	return &out
}

// Get returns the value at the place of an answer of the scenario, nil without one.
func (p *Place) Get(answer *Tree) *Tree {
	for _, s := range p.segments {
		if answer == nil {
			return nil
		}
		answer = answer.Get(s)
	}
	return answer
}

// Fill returns an answer of the scenario in which the place has a value.
func (p *Place) Fill(answer *Tree) *Tree { return p.Set(answer, p.sample) }

// copyOf returns a deep copy.
func copyOf(t *Tree) Tree {
	c := *t
	c.Items = make([]Tree, len(t.Items))
	for i := range t.Items {
		c.Items[i] = copyOf(&t.Items[i])
	}
	return c
}
