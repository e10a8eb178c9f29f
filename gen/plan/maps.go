package plan

import (
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/spec/compat"
)

// A MapTable converts what a thread has of one version to the next version, as a table: maps refer to others by
// their index. The first map changes nothing.
type MapTable struct {
	Maps    []Map
	State   int
	Outputs []MapEntry // the kept outputs that go on, by node
	Nodes   []MapEntry // nodes with other names
}

// A Map is a compat.Map as a row of a MapTable.
type Map struct {
	Elem     int
	Fields   []MapEntry
	Values   []MapEntry
	Label    string
	Variants []MapEntry
}

// A MapEntry is a name with another one, and the map of what it has.
type MapEntry struct {
	From, To string
	Map      int
}

// NewMapTable makes the table of maps.
func NewMapTable(maps compat.Maps) MapTable {
	t := MapTable{Maps: make([]Map, 1)}
	index := map[*compat.Map]int{}
	t.State = t.add(maps.State, index)
	t.Outputs = t.entries(maps.Outputs, index)
	for _, n := range maps.Nodes {
		t.Nodes = append(t.Nodes, MapEntry{From: n.From, To: n.To})
	}
	return t
}

// add adds a map with those that it refers to, and returns its index.
func (t *MapTable) add(m *compat.Map, index map[*compat.Map]int) int {
	if m == nil {
		return 0
	}
	if at := index[m]; at > 0 {
		return at
	}
	at := len(t.Maps)
	index[m] = at
	t.Maps = append(t.Maps, Map{})
	row := Map{Elem: t.add(m.Elem, index), Fields: t.entries(m.Fields, index), Values: t.entries(m.Values, index), Variants: t.entries(m.Variants, index)}
	if len(row.Variants) > 0 {
		row.Label = m.Label
	}
	t.Maps[at] = row
	return at
}

func (t *MapTable) entries(list []compat.FieldMap, index map[*compat.Map]int) (entries []MapEntry) {
	for _, f := range list {
		entries = append(entries, MapEntry{f.From, f.To, t.add(f.Value, index)})
	}
	return entries
}

// write writes what changes, a line for each name.
func (t *MapTable) write(b *strings.Builder) {
	for _, n := range t.Nodes {
		fmt.Fprintf(b, "  node %s is %s\n", n.From, n.To)
	}
	t.writeMap(b, "  state", t.State, map[int]bool{0: true})
	for _, o := range t.Outputs {
		fmt.Fprintf(b, "  keeps the output of %s\n", o.To)
		t.writeMap(b, "  output of "+o.To, o.Map, map[int]bool{0: true})
	}
}

func (t *MapTable) writeMap(b *strings.Builder, at string, index int, seen map[int]bool) {
	if seen[index] {
		return
	}
	seen[index] = true
	m := t.Maps[index]
	for _, v := range m.Values {
		fmt.Fprintf(b, "%s: value %s is %s\n", at, v.From, v.To)
	}
	t.writeMap(b, at+"[]", m.Elem, seen)
	for _, list := range [][]MapEntry{m.Fields, m.Variants} {
		for _, f := range list {
			if f.From != f.To {
				fmt.Fprintf(b, "%s.%s is %s\n", at, f.From, f.To)
			}
			t.writeMap(b, at+"."+f.To, f.Map, seen)
		}
	}
}
