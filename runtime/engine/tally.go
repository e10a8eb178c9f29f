package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
)

// Counts are what a run counts for its report. A thread saves them as they are.
type Counts struct{ Retries, CacheHits, Skips, Rejected, HookFailures int }

// A tally is what happens in a run that its report lists, beside what models and tools do. A run counts it whether it has to report or not:
// the error of every run that fails has a report. The goroutine of the run calls it.
type tally struct {
	Counts
	refusals      []graphgen.Refusal
	refused       *graphgen.GuardsError // the verdict that the last of them has
	nested        []graphgen.NestedReport
	nestedDropped int
}

// nestedLength is how many reports of child runs a run keeps, the last ones.
const nestedLength = 1 << 10

// tally returns what the run counts. It makes it at the first call.
func (r *Run) tally() *tally {
	if r.more.get().tally == nil {
		t := besides[tally](&r.more)
		r.more.tally = t
	}
	return r.more.tally
}

// counts returns what was counted so far.
func (t *tally) counts() Counts {
	if t == nil {
		return Counts{}
	}
	return t.Counts
}

// lastVerdict returns the last verdict of guards, nil if there was none.
func (t *tally) lastVerdict() *graphgen.GuardsError {
	if t == nil {
		return nil
	}
	return t.refused
}

// refuse adds a verdict of guards on an attempt once. Both the execution of a node and the transition that it takes report it.
func (t *tally) refuse(g *graphgen.GuardsError, at graphgen.Where, attempt int) {
	if t.refused != g {
		t.refused = g
		t.refusals = append(t.refusals, graphgen.Refusal{Where: at, Attempt: attempt, Guards: g.Failed})
	}
}

// addNested adds the report of a child run.
func (t *tally) addNested(report graphgen.NestedReport) {
	if len(t.nested) == nestedLength {
		t.nested = append(make([]graphgen.NestedReport, 0, nestedLength), t.nested[nestedLength/2:]...) // reports may hold the others
		t.nestedDropped += nestedLength / 2
	}
	t.nested = append(t.nested, report)
}

// join adds what a child run has counted.
func (t *tally) join(b *tally) {
	t.Retries += b.Retries
	t.CacheHits += b.CacheHits
	t.Skips += b.Skips
	t.Rejected += b.Rejected
	t.HookFailures += b.HookFailures
	t.refusals = append(t.refusals, b.refusals...)
	for n := range b.nested {
		t.addNested(b.nested[n])
	}
	t.nestedDropped += b.nestedDropped
}

// copied returns a copy that grows apart, nil of nil.
func (t *tally) copied() *tally {
	if t == nil {
		return nil
	}
	c := *t
	c.refusals, c.nested = slices.Clone(c.refusals), slices.Clone(c.nested)
	return &c
}

// fill writes the tally into a report, except the failures of hooks.
func (t *tally) fill(rep *graphgen.Report) {
	if t == nil {
		return
	}
	rep.Refusals, rep.Retries, rep.CacheHits, rep.Skips, rep.Rejected = slices.Clone(t.refusals), t.Retries, t.CacheHits, t.Skips, t.Rejected
	rep.Nested, rep.NestedDropped = Clip(t.nested), t.nestedDropped
}

// final returns a report of the run that has ended, with the failures of observers at its end. before are those before its
// end.
func (t *tally) final(rep *graphgen.Report, before int) *graphgen.Report {
	if failed := t.counts().HookFailures - before; failed > 0 {
		next := *rep // observers have the other one
		next.HookFailures += failed
		return &next
	}
	return rep
}
