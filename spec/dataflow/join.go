package dataflow

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A branch has the outcomes that one branch of a parallel can have, for one field that is
// unwritten when the node is entered.
type branch struct {
	unwritten, written bool // it succeeds, and the field is in this state
	failed             bool // it fails, and nothing has read the field: what it has written is not merged
	reported           bool // it succeeds, and something has read the field unwritten
	reportedFailed     bool // it fails, and something has read the field unwritten
}

func (b branch) succeeds() bool { return b.unwritten || b.written }

// parallel is the effect of concurrent branches, each on a copy of the state.
func (f *Flow) parallel(e *Effect, n *resolve.Node) {
	succeeds, fails := make([]states, len(n.Regions)), make([]states, len(n.Regions))
	for i, r := range n.Regions {
		succeeds[i], fails[i] = f.region(e, r, f.entered())
	}
	need, join := len(n.Regions), spec.JoinOf(n.Spec.Join.V)
	if !n.Spec.Count.Lost && join.Some {
		need = 1
		if n.Spec.Count.IsSet() {
			need = n.Spec.Count.V
		}
	}
	branches := make([]branch, len(n.Regions))
	for i := range f.Fields {
		for b := range branches {
			s, x := succeeds[b], fails[b]
			branches[b] = branch{s.unwritten.Has(i), s.written.Has(i), x.unwritten.Has(i) || x.written.Has(i), s.reported.Has(i), x.reported.Has(i)}
		}
		e.join(i, branches, join, need)
	}
	if f.Graph.Node(n).Merges() {
		e.failed.union(e.succeeded)
		e.failed = e.failed.rolledBack()
	}
}

// join finds the states of a field after branches of which need have to succeed.
func (e *Effect) join(field int, branches []branch, how *spec.Join, need int) {
	var unwritten, succeed, fail, failReported, settle, settleUnwritten int
	written, reported, reportedFailed := false, false, false
	for _, b := range branches {
		unwritten += one(b.unwritten)
		succeed += one(b.succeeds())
		fail += one(b.failed)
		failReported += one(b.failed || b.reportedFailed)
		settle += one(b.succeeds() || b.failed)
		settleUnwritten += one(b.unwritten || b.failed)
		written = written || b.written
		reported = reported || b.reported
		reportedFailed = reportedFailed || b.reportedFailed
	}
	n := len(branches)
	add := func(to Set, is bool) {
		if is {
			to.Add(field)
		}
	}
	add(e.succeeded.unwritten, unwritten >= need && (how.Stops() || settleUnwritten == n))
	add(e.succeeded.written, succeed >= need && written && (how.Stops() || settle == n))
	add(e.succeeded.reported, reported || need < n && reportedFailed)
	tooMany := 1 // failures
	if how.Some {
		tooMany = n - need + 1
	}
	add(e.failed.unwritten, fail >= tooMany && (how.StopsOnFailure || settle == n)) // the others wait for every branch
	add(e.failed.reported, failReported >= tooMany && (reported || reportedFailed))
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
