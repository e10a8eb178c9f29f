package engine

import (
	"strconv"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// NoMatch returns the error that no transition of the node matched: every candidate, and why not.
func (r *Run) NoMatch() error {
	from := r.here()
	if r.Changes().exist() {
		from = r.Changes().origin(from)
	}
	e := &graphgen.NoEdgeMatchedError{}
	for i := range r.Graph().Transitions {
		w := &r.Graph().Transitions[i]
		if w.From != from || w.Rule == graphgen.RuleError || w.Rule == graphgen.RuleGuardFail || w.Rule == graphgen.RuleBudget ||
			w.Rule == graphgen.RuleHuman || w.Rule == graphgen.RuleEntry || w.Rule == graphgen.RuleBranch {
			continue
		}
		why := w.Text + ": not so"
		switch {
		case !r.Changes().May(TransitionID(i)):
			why = "was taken out of the run's graph"
		case r.path.isUsedUp(w):
			why = "was followed " + strconv.Itoa(int(r.path.followed(w))) + " times, its max_iterations"
		case r.more.get().outcome == skipped:
			why = w.Text + ": the node was skipped"
		}
		e.Candidates = append(e.Candidates, graphgen.Candidate{To: r.Graph().NodeName(w.To), Label: w.Label, Why: why, Pos: r.Graph().transitionPosition(w)})
	}
	return e
}

// Reject counts and reports an output that named a target the run cannot take from here. An empty name names nothing, and is not counted.
func (r *Run) Reject(named string) {
	if named == "" {
		return
	}
	r.tally().Rejected++
	if r.settings.isWatched() {
		r.notify(&graphgen.Event{Kind: graphgen.RouteRejected, Node: r.Graph().NodeName(r.here()), Details: origin.Details{Text: named}})
	}
}

// RejectJudgement counts and reports a judge model that failed, or whose answer is not a choice. If the budget
// did not allow the call, the run ends after the step.
func (a *Agent) RejectJudgement(answer string, err error) {
	if over := a.run.ending.despite(err); over != nil {
		a.run.path.requireSlowStep()
		a.overdrawn = over
		return
	}
	a.run.tally().Rejected++
	if err != nil && answer == "" && a.run.IsCancelled() {
		a.run.path.requireSlowStep()
		a.run.more.make().unjudged = true
	}
	if a.run.settings.isWatched() {
		a.run.notify(&graphgen.Event{Kind: graphgen.RouteRejected, Node: a.run.Graph().NodeName(a.run.here()), Err: err, Details: origin.Details{Text: answer}})
	}
}
