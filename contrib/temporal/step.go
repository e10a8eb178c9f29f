package temporal

import (
	"context"
	"strings"

	"go.temporal.io/sdk/activity"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/thread"
)

// A step is the graphgen.StepInfo of an activity. What is absent has the value that most steps have.
type step struct {
	Graph     string   `json:"g,omitempty"`
	Node      string   `json:"n,omitempty"`
	Step      int      `json:"s,omitempty"`
	Visit     int      `json:"v,omitempty"` // absent: the first
	Attempt   int      `json:"a,omitempty"` // absent: the first
	Iteration int      `json:"i,omitempty"`
	Branch    string   `json:"b,omitempty"`
	Within    string   `json:"w,omitempty"`
	Failure   *failing `json:"f,omitempty"`
	Feedback  []string `json:"fb,omitempty"`
}

// failing is the failure that led to a step.
type failing struct {
	Where   graphgen.Where `json:"w"`
	Attempt int            `json:"a,omitempty"`
	Text    string         `json:"t"`
}

func stepOf(i graphgen.StepInfo) *step {
	s := &step{
		Graph: i.Graph, Node: i.Node, Step: i.Step, Visit: rare(i.Visit), Attempt: rare(i.Attempt), Iteration: i.Iteration,
		Branch: i.Branch, Within: i.Within, Feedback: i.Feedback,
	}
	if e := i.Failure; e != nil {
		s.Failure = &failing{e.Where, e.Attempt, e.Err.Error()}
	}
	return s
}

// rare returns 0 for 1.
func rare(n int) int {
	if n == 1 {
		return 0
	}
	return n
}

// info returns what handlers learn about the step.
func (s *step) info() graphgen.StepInfo {
	i := graphgen.StepInfo{
		Graph: s.Graph, Node: s.Node, Step: s.Step, Visit: max(s.Visit, 1), Attempt: max(s.Attempt, 1), Iteration: s.Iteration,
		Branch: s.Branch, Within: s.Within, Feedback: s.Feedback,
	}
	if f := s.Failure; f != nil {
		i.Failure = &graphgen.NodeError{Where: f.Where, Attempt: f.Attempt, Err: &thread.SavedError{Text: f.Text}}
	}
	return i
}

// An executed step is what functions of package graphgen ask in an activity.
type executed struct {
	info graphgen.StepInfo
	key  string
}

func (e *executed) StepInfo(context.Context) graphgen.StepInfo { return e.info }
func (e *executed) IdempotencyKey(context.Context) string      { return e.key }

// Once calls fn: the result of the activity is what is kept of it.
func (e *executed) Once(ctx context.Context, _ string, fn func(context.Context) ([]byte, error)) ([]byte, error) {
	return fn(ctx)
}

// stepContext returns the context for a handler, a tool or a model in an activity.
func stepContext(ctx context.Context, t *task) context.Context {
	e := &executed{key: t.Key}
	if t.Step != nil {
		e.info = t.Step.info()
	}
	if rest, ok := strings.CutPrefix(t.Key, ownRun); ok {
		e.key = activity.GetInfo(ctx).WorkflowExecution.RunID + rest
	}
	return context.WithValue(ctx, origin.RunKey{}, e)
}

// ownRun is what keys begin with instead of the ID of the run of the workflow.
const ownRun = "~"
