package spec

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Setting is the value an author wrote under a key, as one text.
type Setting struct {
	Key   Key
	Text  string
	Names []string // the items of a list
	Pos   Pos
}

// Settings returns the graph's values that are texts and lists of names.
func (g *Graph) Settings() []Setting { return settings(&graphTable, g) }

// Settings returns the limits that are written.
func (l *Limits) Settings() []Setting { return settings(&limitsTable, l) }

// Settings returns the node's values that are texts and lists of names. Its flags, types
// and transitions are none.
func (n *Node) Settings() []Setting { return settings(&nodeTable, n) }

// Settings returns the tool's values that are texts.
func (t *ToolDecl) Settings() []Setting { return settings(&toolTable, t) }

// Settings returns what is written of a block.
func (b *Block) Settings() []Setting { return settings(&blockTable, b) }

// Settings returns what is written of an eval.
func (e *Eval) Settings() []Setting { return settings(&evalTable, e) }

// Settings returns what is written of a field besides its type.
func (f *Field) Settings() []Setting { return settings(&stateTable, &fieldParts{Field: f}) }

// Settings returns the settings of the flag that are written.
func (r *Retry) Settings() []Setting { return settings(&retryTable, r) }

func settings[T any](t *table[T], of *T) []Setting {
	var list []Setting
	for i := range t.Rows {
		s := Setting{Key: t.Rows[i].Key}
		if s.from(t.Rows[i].To(of)) {
			list = append(list, s)
		}
	}
	return list
}

// from takes the value of a row's place. It reports false where nothing is written, or
// what is written has parts of its own.
func (s *Setting) from(place any) bool {
	switch p := place.(type) {
	case *String:
		s.Text, s.Pos = p.V, p.Pos
	case *Value[int]:
		s.Text, s.Pos = strconv.Itoa(p.V), p.Pos
	case *Value[float64]:
		s.Text, s.Pos = strconv.FormatFloat(p.V, 'g', -1, 64), p.Pos
	case *Value[bool]:
		s.Text, s.Pos = strconv.FormatBool(p.V), p.Pos
	case *Value[time.Duration]:
		s.Text, s.Pos = p.V.String(), p.Pos
	case **Scalar:
		if *p != nil {
			s.Text, s.Pos = (*p).Text, (*p).Pos
		}
	case *[]*Use:
		var uses []String
		for _, u := range *p {
			uses = append(uses, String{V: u.Name.V + ": " + u.File.V, Pos: u.Name.Pos})
		}
		s.list(uses, Pos{})
	case *[]String:
		s.list(*p, Pos{})
	case namesAt:
		s.list(*p.names, *p.pos)
	case *[]Transition, *[]Assignment, labelsAt, branchesAt, **Mutations, **OutputMatch, *[]Flag, *Limits, **LoopUntil, **TypeExpr, *[]Variant, *[]*Field, *[]*TypeDecl, *[]*Node, *[]*Edge, *[]*Assertion, *[]*ToolDecl, *[]*Block, *[]*Eval:
		return false
	default:
		panic(fmt.Sprintf("spec: key %s: cannot convert a %T", s.Key.Name, place))
	}
	return s.Pos.IsSet()
}

func (s *Setting) list(names []String, pos Pos) {
	s.Pos = pos
	for i, n := range names {
		if i == 0 && !pos.IsSet() {
			s.Pos = n.Pos
		}
		s.Names = append(s.Names, n.V)
	}
	s.Text = strings.Join(s.Names, ", ")
}
