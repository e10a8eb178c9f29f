package engine

import (
	"strconv"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
)

// NoMatch returns the error that no transition of the node matched: every candidate, and why not.
func (r *Run) NoMatch() error {
	at := r.here()
	e := &graphgen.NoEdgeMatchedError{}
	for i := range r.graph.Transitions {
		w := &r.graph.Transitions[i]
		if w.From != r.origin(at) || w.Rule == graphgen.RuleError || w.Rule == graphgen.RuleGuardFail || w.Rule == graphgen.RuleHuman ||
			w.Rule == graphgen.RuleEntry || w.Rule == graphgen.RuleBranch {
			continue
		}
		e.Candidates = append(e.Candidates, graphgen.Candidate{
			To: r.graph.NodeName(w.To), Label: w.Label, Why: r.whyNot(w), Pos: r.graph.transitionPosition(w),
		})
	}
	return e
}

func (r *Run) whyNot(w *TransitionInfo) string {
	switch {
	case r.overlay != nil && r.overlay.closed[pair{w.From, w.To}]:
		return "was taken out of the run's graph"
	case r.usedUp(w):
		return "was followed " + strconv.Itoa(int(r.followed(w))) + " times, its max_iterations"
	case r.extra().outcome == skipped:
		return w.Text + ": the node was skipped"
	}
	return w.Text + ": not so"
}

// Reject counts and reports an output that named a target the run cannot take from here.
func (r *Run) Reject(named string) {
	r.withIncidents().rejected++
	if r.settings.isWatched() {
		r.notify(&graphgen.Event{Kind: graphgen.RouteRejected, Node: r.graph.NodeName(r.here()), Details: origin.Details{Text: named}})
	}
}

// RejectJudgement counts and reports a judge model that failed, or whose answer is not a choice. If the budget
// did not allow the call, the run ends after the step.
func (r *Run) RejectJudgement(answer string, err error) {
	if over := r.overdraws(err); over != nil {
		r.attentive()
		r.Agent().overdrawn = over
		return
	}
	r.withIncidents().rejected++
	if err != nil && answer == "" && r.IsCancelled() {
		r.attentive()
		r.withExtra().unjudged = true
	}
	if r.settings.isWatched() {
		r.notify(&graphgen.Event{Kind: graphgen.RouteRejected, Node: r.graph.NodeName(r.here()), Err: err, Details: origin.Details{Text: answer}})
	}
}
