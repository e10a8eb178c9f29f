package spec

import (
	"slices"

	"github.com/graphgen/graphgen/spec/diag"
)

// A placing says which row of its table each key of a mapping belongs to.
type placing struct {
	rows     []int // by entry; negative for a key that has no row
	unplaced int   // keys that were written and that nobody reads
	missing  []int // required rows without a key
}

// excused reports whether what is missing may be what has no place: there are as many keys
// of that kind, or no others at all.
func (p *placing) excused() bool {
	placed := slices.ContainsFunc(p.rows, func(at int) bool { return at >= 0 })
	return p.unplaced >= len(p.missing) || p.unplaced > 0 && !placed
}

// place finds the rows of a mapping's keys, and reports the keys that have none. A key that
// resembles one which is not written is taken for it: what comes later then finds no gap
// where the author has left none.
func place[T any](r *reader, m *tree, t *table[T]) placing {
	p := placing{rows: make([]int, len(m.items)/2), unplaced: m.dropped}
	taken := make([]bool, len(t.rows))
	for i := range p.rows {
		if p.rows[i] = t.index(m.items[2*i].text); p.rows[i] >= 0 {
			taken[p.rows[i]] = true
		}
	}
	for i, at := range p.rows {
		if at >= 0 {
			continue
		}
		key, value := &m.items[2*i], &m.items[2*i+1]
		if len(r.found) == maxFindings {
			r.dropped++ // and no time is spent on advice
			p.unplaced++
			continue
		}
		in := t.mapping()
		near, _ := diag.Suggest(key.text, in.names())
		if remedyOf(in.Name, key.text) != "" {
			near = "" // it is no misspelling
		}
		r.unknownKey(key, value, in, near)
		if at := t.index(near); at >= 0 && !taken[at] {
			p.rows[i], taken[at] = at, true
		} else {
			p.unplaced++
		}
	}
	for at := range t.rows {
		if t.rows[at].Required && !taken[at] {
			p.missing = append(p.missing, at)
		}
	}
	return p
}

// index returns the row of a key, -1 if there is none.
func (t *table[T]) index(key string) int {
	for i := range t.rows {
		if t.rows[i].Name == key {
			return i
		}
	}
	return -1
}

// tear notes that something of an entry is not read.
func (t *table[T]) tear(to *T) {
	if t.unread != nil {
		*t.unread(to) = true
	}
}

// names lists the mapping's keys.
func (m Mapping) names() []string {
	names := make([]string, len(m.Keys))
	for i := range m.Keys {
		names[i] = m.Keys[i].Name
	}
	return names
}
