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
		if w.From != from || w.Rule == graphgen.RuleError || w.Rule == graphgen.RuleGuardFail || w.Rule == graphgen.RuleHuman ||
			w.Rule == graphgen.RuleEntry || w.Rule == graphgen.RuleBranch {
			continue
		}
		e.Candidates = append(e.Candidates, graphgen.Candidate{
			To: r.Graph().NodeName(w.To), Label: w.Label, Why: r.reasonNotTaken(w), Pos: r.Graph().transitionPosition(w),
		})
	}
	return e
}

func (r *Run) reasonNotTaken(w *TransitionInfo) string {
	switch {
	case r.Changes().exist() && r.Changes().closed[pair{w.From, w.To}]:
		return "was taken out of the run's graph"
	case r.path.isUsedUp(w):
		return "was followed " + strconv.Itoa(int(r.path.followed(w))) + " times, its max_iterations"
	case r.extra().outcome == skipped:
		return w.Text + ": the node was skipped"
	}
	return w.Text + ": not so"
}

// Reject counts and reports an output that named a target the run cannot take from here.
func (r *Run) Reject(named string) {
	r.tally().Rejected++
	if r.settings.isWatched() {
		r.notify(&graphgen.Event{Kind: graphgen.RouteRejected, Node: r.Graph().NodeName(r.here()), Details: origin.Details{Text: named}})
	}
}

// RejectJudgement counts and reports a judge model that failed, or whose answer is not a choice. If the budget
// did not allow the call, the run ends after the step.
func (a *Agent) RejectJudgement(answer string, err error) {
	if over := a.run.endingFailure(err); over != nil {
		a.run.requireSlowStep()
		a.overdrawn = over
		return
	}
	a.run.tally().Rejected++
	if err != nil && answer == "" && a.run.IsCancelled() {
		a.run.requireSlowStep()
		a.run.withExtra().unjudged = true
	}
	if a.run.settings.isWatched() {
		a.run.notify(&graphgen.Event{Kind: graphgen.RouteRejected, Node: a.run.Graph().NodeName(a.run.here()), Err: err, Details: origin.Details{Text: answer}})
	}
}
