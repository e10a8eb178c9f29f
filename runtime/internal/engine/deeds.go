package engine

import (
	"slices"

	"github.com/graphgen/graphgen/runtime/detail"
)

// Deeds are what models and tools did in each step of a run.
type deeds struct {
	ring   []deed // by number of the transition to the step, as the path
	host   int    // the number of the step whose branches were joined last
	joined int    // the length of the path then
}

// A deed is what they did in one step.
type deed struct {
	number int // of the step, from 1; 0: none
	detail.Step
}

// now returns the place of what models and tools do in the current step.
func (b *book) now(r *Run) *detail.Step {
	if b.doing == nil {
		b.doing = new(deeds)
	}
	return b.doing.at(r, b.doing.current(r))
}

// current returns the number of the current step. Behind it the path has the steps of its branches, once they are joined.
func (d *deeds) current(r *Run) int {
	if d.joined == r.n && r.n > 0 {
		return d.host
	}
	return r.n - 1
}

// at returns the place of a step.
func (d *deeds) at(r *Run, number int) *detail.Step {
	if size := len(r.path); len(d.ring) < size {
		ring := make([]deed, size)
		for _, have := range d.ring {
			if have.number > r.oldest() {
				ring[(have.number-1)&(size-1)] = have
			}
		}
		d.ring = ring
	}
	slot := &d.ring[number&(len(d.ring)-1)]
	if slot.number != number+1 && number >= r.oldest() {
		*slot = deed{number: number + 1}
	}
	if slot.number != number+1 { // the path has lost the step
		return new(detail.Step)
	}
	return &slot.Step
}

// of returns what models and tools did in a step.
func (d *deeds) of(number int) (detail.Step, bool) {
	if d == nil || len(d.ring) == 0 {
		return detail.Step{}, false
	}
	if slot := &d.ring[number&(len(d.ring)-1)]; slot.number == number+1 {
		return slot.Step, true
	}
	return detail.Step{}, false
}

// joins notes that the steps of a branch are behind the current one. host is its number.
func (d *deeds) joins(r *Run, host int) {
	if d != nil {
		d.host, d.joined = host, r.n
	}
}

// copied returns a copy, nil if there is none.
func (d *deeds) copied() *deeds {
	if d == nil {
		return nil
	}
	c := *d
	c.ring = slices.Clone(c.ring)
	return &c
}

// inPath returns the steps that the path of a report has, nil if nothing was done in them.
func (d *deeds) inPath(r *Run, size int) []detail.Step {
	if d == nil || len(d.ring) == 0 {
		return nil
	}
	steps := make([]detail.Step, 0, size)
	for i := r.oldest(); i < r.n; i++ {
		if r.graph.to(r.path[i&(len(r.path)-1)]) != End {
			did, _ := d.of(i)
			steps = append(steps, did)
		}
	}
	return steps
}
