package yamlread

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
)

// A placing maps the keys of a mapping to the rows of its table.
type placing struct {
	rows     []int // by entry; negative for a key that has no row
	unplaced int   // keys that are written and not read
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
func place[T any](r *Reader, m *Tree, t *Table[T]) placing {
	p := placing{rows: make([]int, len(m.Items)/2), unplaced: m.Dropped}
	taken := make([]bool, len(t.Rows))
	for i := range p.rows {
		if p.rows[i] = t.Index(m.Items[2*i].Text); p.rows[i] >= 0 {
			taken[p.rows[i]] = true
		}
	}
	for i, at := range p.rows {
		if at >= 0 {
			continue
		}
		key, value := &m.Items[2*i], &m.Items[2*i+1]
		if len(r.found) == maxFindings {
			r.dropped++ // and no time is spent on advice
			p.unplaced++
			continue
		}
		if at := t.Index(r.unknownKey(m, key, value, t.Mapping())); at >= 0 && !taken[at] {
			p.rows[i], taken[at] = at, true
		} else {
			p.unplaced++
		}
	}
	for at := range t.Rows {
		if t.Rows[at].Required && !taken[at] {
			p.missing = append(p.missing, at)
		}
	}
	return p
}

// unknownKey reports a key that its mapping does not have, with the best advice there is:
// a key it resembles, else the mapping it belongs to, else the keys there are. It returns the key it
// resembles.
func (r *Reader) unknownKey(of, key, value *Tree, in Mapping) (near string) {
	near, _ = diag.Suggest(key.Text, in.Names())
	whose, help := "", ""
	if r.Foreign != nil {
		whose, help = r.Foreign(in.Name, of, key.Text)
	}
	switch {
	case whose != "":
	case help != "":
		near = "" // it is not a misspelling
	case near != "":
		help = diag.DidYouMean(near)
	default:
		help = r.owners(key.Text)
		if help == "" {
			help = in.help()
			if value.Kind == Null && value.Text == "" {
				help += "; inside { } a text that contains a comma needs quotes"
			}
		}
	}
	r.Report(r.Unknown, key.Pos, fmt.Sprintf("unknown key %s in %s%s", Quote(key.Text), in.Noun, whose), help)
	return near
}

// owners names the mappings that have a key, "" if there are none.
func (r *Reader) owners(key string) string {
	if r.Mappings == nil {
		return ""
	}
	var owners []string
	for _, m := range r.Mappings() {
		if slices.Contains(m.Names(), key) {
			owners = append(owners, m.Noun)
		}
	}
	if len(owners) == 0 {
		return ""
	}
	return fmt.Sprintf("%q is a key of %s", key, strings.Join(owners, " and of "))
}
