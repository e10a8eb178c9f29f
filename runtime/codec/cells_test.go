package codec_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/runtime/codec"
)

// page is what cells save in these tests.
type page struct {
	title string
	lines []string
	sizes []int
}

func (p *page) Cells(c *codec.Cells) {
	codec.Cell(c, "title", &p.title, codec.ReadString, codec.WriteString)
	codec.Tail(c, "lines", &p.lines, codec.ReadString, codec.WriteString)
	codec.Tail(c, "sizes", &p.sizes, codec.ReadInt, codec.WriteInt)
}

// change changes one thing of a page: lists grow, mostly.
func (p *page) change(r *rand.Rand) {
	line := strings.Repeat("line ", r.IntN(4))
	switch at := r.IntN(8); {
	case at == 0:
		p.title = line
	case at == 1 && len(p.lines) > 0:
		p.lines[r.IntN(len(p.lines))] = line
	case at == 2 && len(p.lines) > 0:
		p.lines = p.lines[:r.IntN(len(p.lines))]
	case at == 3 && len(p.sizes) > 0:
		p.sizes[r.IntN(len(p.sizes))] = r.IntN(9)
	case at == 4:
		p.sizes = append(p.sizes, r.IntN(9))
	case at == 5:
		p.lines = slices.Insert(p.lines, r.IntN(len(p.lines)+1), line)
	default:
		p.lines = append(p.lines, line)
	}
}

func (p *page) equals(other *page) bool {
	return p.title == other.title && slices.Equal(p.lines, other.lines) && slices.Equal(p.sizes, other.sizes)
}

func object(members []byte) []byte { return slices.Concat([]byte{'{'}, members, []byte{'}'}) }

// TestCells holds that changes add up to what was saved, for the one who writes them and for one who reads them, and that
// cells which begin with those of others are apart from them.
func TestCells(t *testing.T) {
	for d := range tier.Draws(t, tier.Pick(100, 300, 5000)) {
		r := d.Rand()
		var p page
		var own, others codec.Cells
		for range 40 {
			if r.IntN(3) > 0 {
				p.change(r)
			}
			changes, _, err := own.Changes(p.Cells)
			if err != nil {
				t.Fatal(err)
			}
			if err := others.Take(object(changes)); err != nil {
				t.Fatalf("%v: %s", err, changes)
			}
			var got page
			if err := others.Load(got.Cells); err != nil {
				t.Fatal(err)
			}
			if !got.equals(&p) {
				t.Fatalf("the changes are %s, which give %+v, want %+v", changes, got, p)
			}
			whole, _ := own.Whole()
			switch r.IntN(9) {
			case 0: // the reader writes
				own, others = others, own
			case 1: // a process goes on with what another has saved
				own = codec.Cells{}
				if err := own.Take(object(whole)); err != nil {
					t.Fatal(err)
				}
			case 2: // a value is changed where it is saved
				own.Set("title", []byte(`"another title"`))
				others.Set("title", []byte(`"another title"`))
			case 3: // the changes of a branch are its own, and those behind it are not the branch's
				inner := page{p.title, slices.Clone(p.lines), slices.Clone(p.sizes)}
				var branch codec.Cells
				branch.Inherit(&own, func(string) bool { return false })
				for range 3 {
					inner.change(r)
					p.change(r)
					if _, _, err := branch.Changes(inner.Cells); err != nil {
						t.Fatal(err)
					}
					changes, _, err := own.Changes(p.Cells)
					if err != nil {
						t.Fatal(err)
					}
					if err := others.Take(object(changes)); err != nil {
						t.Fatal(err)
					}
				}
				if err := branch.Load(got.Cells); err != nil || !got.equals(&inner) {
					t.Fatalf("the branch has %+v, want %+v, %v", got, inner, err)
				}
			}
		}
	}
}

// TestCellsThatStay holds that what has not changed costs no writing: strings are not written to be compared.
func TestCellsThatStay(t *testing.T) {
	p := page{title: strings.Repeat("x", 1<<16), lines: slices.Repeat([]string{strings.Repeat("y", 1<<10)}, 100)}
	var c codec.Cells
	if _, _, err := c.Changes(p.Cells); err != nil {
		t.Fatal(err)
	}
	written := 0
	counting := func(v string, e *codec.Encoder) { written += len(v); codec.WriteString(v, e) }
	changes, _, err := c.Changes(func(c *codec.Cells) {
		p.lines = append(p.lines, "z")
		codec.Cell(c, "title", &p.title, codec.ReadString, counting)
		codec.Tail(c, "lines", &p.lines, codec.ReadString, counting)
	})
	if err != nil || string(changes) != `"lines+":["z"]` || written != 1 {
		t.Errorf("%d bytes are written for the changes %s, %v", written, changes, err)
	}
}

// TestEmptyCells holds that values which were emptied before anything was saved are empty where they are read, if that is asked for.
func TestEmptyCells(t *testing.T) {
	var c codec.Cells
	var empty page
	c.Empties(true)
	changes, _, err := c.Changes(empty.Cells)
	if err != nil {
		t.Fatal(err)
	}
	got := page{title: "a title", lines: []string{"a line"}, sizes: []int{1}}
	var read codec.Cells
	if err := errors.Join(read.Take(object(changes)), read.Load(got.Cells)); err != nil || !got.equals(&empty) {
		t.Errorf("%s gives %+v, %v", changes, got, err)
	}
}
