package spec

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Setting is the value of a key as one text.
type Setting struct {
	Key   Key
	Text  string
	Names []string // the items of a list
	Pos   Pos
}

// Settings returns the settings that are texts and lists of names.
func (g *Graph) Settings() []Setting { return settings(&graphTable, g) }

// Settings returns the limits that are written.
func (l *Limits) Settings() []Setting { return settings(&limitsTable, l) }

// Settings returns the settings that are texts and lists of names, without flags, types and
// transitions.
func (n *Node) Settings() []Setting { return settings(&nodeTable, n) }

// Settings returns the settings of the tool that are texts.
func (t *ToolDecl) Settings() []Setting { return settings(&toolTable, t) }

// Settings returns the settings of a block.
func (b *Block) Settings() []Setting { return settings(&blockTable, b) }

// Settings returns the settings of an eval.
func (e *Eval) Settings() []Setting { return settings(&evalTable, e) }

// Settings returns the settings of a field besides its type.
func (f *Field) Settings() []Setting { return settings(&stateTable, &fieldParts{Field: f}) }

// Settings returns the settings of the flag that are written.
func (r *Retry) Settings() []Setting { return settings(&retryTable, r) }

// Settings returns the settings of the flag that are written.
func (a *Approval) Settings() []Setting { return settings(&approvalTable, a) }

// text is the guard with its criterion and what it reads.
func (g *Guard) text() string {
	text := g.Name.V
	if g.Judge.IsSet() {
		text += " (judge: " + strconv.Quote(g.Judge.V) + ")"
	}
	if len(g.Reads) == 0 {
		return text
	}
	names := make([]string, len(g.Reads))
	for i, name := range g.Reads {
		names[i] = name.V
	}
	return text + " of " + strings.Join(names, " and ")
}

// text is the processor with its settings.
func (p *Processor) text() string {
	if p.Plain() {
		return p.Name.V
	}
	tree := processorTree(*p)
	return tree.Flow()
}

// LimitedKeys calls visit for each setting whose key only some kinds of nodes have, with the place of its value.
func (n *Node) LimitedKeys(visit func(k *Key, at Pos)) {
	for i := range nodeTable.Rows {
		row := &nodeTable.Rows[i]
		if row.Kinds == nil {
			continue
		}
		if at := posOf(row.To(n)); at.IsSet() {
			visit(&row.Key, at)
		}
	}
}

func settings[T any](t *table[T], of *T) []Setting {
	var list []Setting
	for i := range t.Rows {
		var s Setting
		if s.from(t.Rows[i].To(of)) {
			s.Key = t.Rows[i].Key // of most rows nothing is written, and a key is large
			list = append(list, s)
		}
	}
	return list
}

// from takes the value of a row. It returns false if the value is not set, or has parts of its own.
func (s *Setting) from(place any) bool {
	if s.Pos = posOf(place); !s.Pos.IsSet() { // so it is with most rows
		return false
	}
	if uses, ok := place.(*[]*Use); ok {
		var names []String
		for _, u := range *uses {
			if u.OfNode {
				continue
			}
			names = append(names, String{V: u.Name.V + ": " + u.File.V, Pos: u.Name.Pos})
		}
		place = &names
	}
	if guards, ok := place.(*[]Guard); ok {
		var names []String
		for _, g := range *guards {
			names = append(names, String{V: g.text(), Pos: g.Name.Pos})
		}
		place = &names
	}
	if processors, ok := place.(*[]Processor); ok {
		var names []String
		for i := range *processors {
			p := &(*processors)[i]
			names = append(names, String{V: p.text(), Pos: p.Name.Pos})
		}
		place = &names
	}
	if body, ok := place.(bodyAt); ok {
		names := body.node.Body
		if body.node.BodyGraph && len(names) > 0 {
			names = []String{{V: "entry " + names[0].V, Pos: names[0].Pos}}
		}
		place = namesAt{&names, &body.node.BodyPos}
	}
	if d, ok := place.(**Scalar); ok && *d != nil && ((*d).Kind == ScalarList || (*d).Kind == ScalarMap) {
		s.Text = (*d).String()
		return true
	}
	value, ok := plain(place)
	for i := range value.Items {
		s.Names = append(s.Names, value.Items[i].Text)
	}
	s.Text = cmp.Or(value.Text, strings.Join(s.Names, ", "))
	return ok
}

// posOf returns where a value that is one scalar, or a list of names, is written, from its place; it is not set for others.
func posOf(place any) (p Pos) {
	switch at := place.(type) {
	case *String:
		return at.Pos
	case *Text:
		return at.Pos
	case *Value[int]:
		return at.Pos
	case *Value[float64]:
		return at.Pos
	case *Value[bool]:
		return at.Pos
	case *Value[time.Duration]:
		return at.Pos
	case **Scalar:
		if *at != nil {
			p = (*at).Pos
		}
	case namesAt:
		return *at.pos
	case bodyAt:
		return at.node.BodyPos
	case *[]String:
		if len(*at) > 0 {
			p = (*at)[0].Pos
		}
	case *[]Guard:
		if len(*at) > 0 {
			p = (*at)[0].Name.Pos
		}
	case *[]Processor:
		if len(*at) > 0 {
			p = (*at)[0].Name.Pos
		}
	case *[]*Use:
		if i := slices.IndexFunc(*at, func(u *Use) bool { return !u.OfNode }); i >= 0 {
			p = (*at)[i].Name.Pos
		}
	}
	return p
}
