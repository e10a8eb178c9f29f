package engine

import (
	"github.com/graphgen/graphgen"
)

// StepDetails are what models and tools did in the steps of a run.
type stepDetails struct {
	steps  []stepDetail
	parent int // the number of the step whose branches were joined last
	joined int // the length of the path then
}

// A stepDetail is what they did in one step.
type stepDetail struct {
	number int // of the transition to the step
	graphgen.StepDetail
}

// ofStep returns the place of what models and tools do in the current step. Behind it the path has the steps of its branches,
// once they are joined.
func (d *stepDetails) ofStep(p *Path) *graphgen.StepDetail {
	number := d.current(p)
	for i := len(d.steps) - 1; i >= 0 && d.steps[i].number >= number; i-- {
		if s := &d.steps[i]; s.number == number {
			return &s.StepDetail
		}
	}
	return d.addStep(p, number)
}

// current returns the number of the current step.
func (d *stepDetails) current(p *Path) int {
	if d.joined == p.n && p.n > 0 {
		return d.parent
	}
	return p.n - 1
}

// addStep returns a place for what is done in a step. What the path has lost is no longer kept.
func (d *stepDetails) addStep(p *Path, number int) *graphgen.StepDetail {
	if size := len(p.ring); len(d.steps) > 2*size {
		d.steps = d.steps[size:]
	}
	d.steps = append(d.steps, stepDetail{number: number})
	return &d.steps[len(d.steps)-1].StepDetail
}
