package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
)

// A FailureState is what failed in a run, and what became of it. A thread saves it as it is.
type FailureState struct {
	Failures   []graphgen.Failure
	Pending    int32  // index+1 of the failure that waits for a success
	Stuck      int32  // index+1 of a failure that can no longer be cleared
	Settled    int    // how many failures are cleared, or can no longer be
	Lasting    *[]int // the indexes of later ones, of child runs, that no success of this run clears; nil: there are none. It is never changed
	Detours    int    // nodes passed over, in a row, because their visits were used up
	PrevFailed bool   // the node before this one failed
	PassedOver NodeID // the node that was not run, where that was the last failure
}

// begin forgets what the region that ran before has left.
func (f *FailureState) begin() {
	*f = FailureState{Failures: f.Failures, Settled: len(f.Failures)}
}

// last returns the last failure. There is one.
func (f *FailureState) last() *graphgen.NodeError { return f.Failures[len(f.Failures)-1].Err }

// add adds the failure of the current step, which waits for a success.
func (f *FailureState) add(err *graphgen.NodeError) {
	f.Failures = append(f.Failures, graphgen.Failure{Err: err})
	f.PrevFailed, f.Pending = true, int32(len(f.Failures))
}

// settle draws the consequences of the outcome of a step for the failures before it. leads reports whether its transition leads to end.
func (f *FailureState) settle(o outcome, ends bool) {
	switch o {
	case succeeded:
		f.PrevFailed = false
		f.clear()
	case failed:
		if ends {
			f.clear()
		}
	case failedGuards, withheld:
		f.PrevFailed = false
	case skipped:
		if f.Pending > 0 && f.Stuck == 0 {
			f.Stuck = f.Pending
		}
		f.settleAll()
	}
}

// clear marks the failures that waited for a success as handled.
func (f *FailureState) clear() {
	for i := f.Settled; i < len(f.Failures); i++ {
		if f.Lasting == nil || !slices.Contains(*f.Lasting, i) {
			f.Failures[i].Cleared = !f.Failures[i].Soft
		}
	}
	f.settleAll()
}

// settleAll leaves the failures so far as they are.
func (f *FailureState) settleAll() {
	f.Settled, f.Pending, f.Lasting = len(f.Failures), 0, nil
}

// inherit adds failures that a child run recovered from. What has become of them is up to the child run alone.
func (f *FailureState) inherit(failures []graphgen.Failure) {
	for i := range failures {
		if f.Pending > 0 && !failures[i].Soft && !failures[i].Cleared {
			var lasting []int
			if f.Lasting != nil {
				lasting = *f.Lasting
			}
			lasting = append(slices.Clone(lasting), len(f.Failures)+i)
			f.Lasting = &lasting
		}
	}
	f.Failures = append(f.Failures, failures...)
	if f.Pending == 0 { // else the success of the parent clears the failure before it
		f.Settled = len(f.Failures)
	}
}
