package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A run is one run of a graph in a workflow.
type run[M, I, O, S any] struct {
	*host
	*handover // nil: the workflow has the whole run
	graph     *Graph[M, I, O, S]
	outer     workflow.Context // the workflow's own, which may be cancelled
	ctx       context.Context  // of the run
	cancel    context.CancelCauseFunc

	stopper graphgen.Stopper
	calls   int // of Run and Resume that have not returned
	out     O
	err     error
	pause   *graphgen.Pause // what the run waits for; nil: it has not paused, or has ended

	last    graphgen.Event // of the outermost run
	report  graphgen.Report
	expire  func() // ends the timer of the last pause; nil: there is none
	notices bool   // notice is under way
}

func newRun[M, I, O, S any](g *Graph[M, I, O, S], w workflow.Context) *run[M, I, O, S] {
	r := &run[M, I, O, S]{host: newHost(w, g.activities), graph: g, outer: w}
	r.ctx, r.cancel = context.WithCancelCause(r.within(context.Background(), r.root))
	return r
}

// errCancelled is why a run ends whose workflow is cancelled.
var errCancelled = errors.New("the workflow is cancelled")

// do makes the run.
func (r *run[M, I, O, S]) do(in I) (O, error) {
	var none O
	if err := r.listen(); err != nil {
		return none, err
	}
	r.call(func(ctx context.Context) (O, error) {
		options := []graphgen.RunOption{
			driver.With(r.driver()), graphgen.WithStopper(&r.stopper), graphgen.WithObserver(r.observe), graphgen.WithReport(&r.report),
			graphgen.Options(r.graph.activities.runs...), quiet(r.live, r.set.runs),
		}
		return r.graph.methods.Run(ctx, in, r.relayed(ctx, options)...)
	})
	if err := workflow.Await(r.root, func() bool { return r.broken != nil || r.over() }); err != nil {
		return none, err
	}
	if r.broken == nil { // updates that were accepted get their result
		err := workflow.Await(r.root, func() bool { return r.broken != nil || workflow.AllHandlersFinished(r.root) })
		if err != nil {
			return none, err
		}
	}
	if r.broken != nil {
		panic(r.broken)
	}
	if r.isHandedOver() && r.outer.Err() == nil {
		return none, r.next()
	}
	return r.result()
}

// over reports whether the workflow has nothing more to do.
func (r *run[M, I, O, S]) over() bool {
	return r.calls == 0 && (r.pause == nil || r.stopper.Requested() || r.ctx.Err() != nil)
}

// call makes a call of the machine in a coroutine of its own.
func (r *run[M, I, O, S]) call(do func(ctx context.Context) (O, error)) {
	r.calls++
	r.attribute()
	workflow.Go(r.root, func(w workflow.Context) {
		out, err := do(r.within(r.ctx, w))
		r.calls--
		if _, refused := errors.AsType[*graphgen.ResumeError](err); refused {
			r.refused()
			return
		}
		r.out, r.err, r.pause = out, err, graphgen.AsPause(err)
		r.settled()
		r.attribute()
	})
}

// refused has the search attributes of a run that waits, after an answer that was refused: another one may have paused the run again meanwhile. Histories
// of earlier versions have none of these.
func (r *run[M, I, O, S]) refused() {
	if r.set.attributes && r.calls == 0 && workflow.GetVersion(r.root, "graphgen/refused", workflow.DefaultVersion, 1) == 1 {
		r.attribute()
	}
}

// settled sets the timer of the earliest deadline of the requests that are open, once the run has paused.
func (r *run[M, I, O, S]) settled() {
	if r.expire != nil {
		r.expire()
		r.expire = nil
	}
	if r.pause == nil {
		return
	}
	var due *graphgen.Request
	for i := range r.pause.Requests {
		if q := &r.pause.Requests[i]; !q.Deadline.IsZero() && (due == nil || q.Deadline.Before(due.Deadline)) {
			due = q
		}
	}
	if due != nil {
		late := due.ID
		r.expire = r.After(r.ctx, due.Deadline.Sub(r.Now())+time.Millisecond, func() {
			r.resume(graphgen.AnswerJSON[M](late, noAnswer), nil) // late, whatever it is
		})
	}
	if len(r.open) > 0 && !r.notices {
		r.notices = true
		workflow.Go(r.root, r.notice)
	}
}

// noAnswer is an answer in JSON that counts, whatever it is.
var noAnswer = []byte("null")

// notice resumes the run where a child workflow has ended while it waited.
func (r *run[M, I, O, S]) notice(w workflow.Context) {
	for {
		if err := workflow.Await(w, func() bool { return r.calls == 0 && r.pause != nil && r.endedWaiting() != "" }); err != nil {
			return
		}
		r.resume(graphgen.AnswerJSON[M](r.endedWaiting(), noAnswer), nil)
	}
}

// resume resumes the run with an answer. done is called when the run has paused again, or ended.
func (r *run[M, I, O, S]) resume(a graphgen.Answer[M], done func(error), opts ...graphgen.ResumeOption) {
	p := r.pause
	r.call(func(ctx context.Context) (O, error) {
		options := append([]graphgen.ResumeOption{
			graphgen.WithObserver(r.observe), graphgen.WithReport(&r.report),
			quiet(r.live, r.set.runs),
		}, opts...)
		out, err := r.graph.methods.Resume(ctx, p, a, options...)
		if done != nil {
			done(err)
		}
		return out, err
	})
}

// live reports whether what happens has not happened before: the workflow is not replayed.
func (r *run[M, I, O, S]) live() bool {
	return !r.closed && !r.isHandedOver() && !workflow.IsReplaying(r.root)
}

// observe keeps what queries ask for.
func (r *run[M, I, O, S]) observe(e graphgen.Event) {
	if e.Run.Branch == "" && e.Run.Within == "" {
		r.last = e
	}
}

// listen sets the handlers of messages.
func (r *run[M, I, O, S]) listen() error {
	err := errors.Join(
		workflow.SetQueryHandler(r.outer, QueryStatus, r.status),
		workflow.SetQueryHandler(r.outer, QueryState, r.state),
		workflow.SetQueryHandler(r.outer, QueryRequests, r.requests),
		workflow.SetQueryHandler(r.outer, QueryReport, r.reported),
	)
	if r.graph.methods.Resume != nil {
		err = errors.Join(err, r.answers(UpdateAnswer, func(a *Answer) (graphgen.Answer[M], error) {
			return graphgen.AnswerJSON[M](a.Request, a.Answer), nil
		}))
	}
	for _, node := range sorted(r.graph.methods.Answers) {
		typed, nested := r.graph.methods.Answers[node], strings.Contains(node, "/")
		err = errors.Join(err, r.answers(UpdateAnswer+"."+node, func(a *Answer) (graphgen.Answer[M], error) {
			if nested {
				return r.answerTo(node, a)
			}
			answer, err := typed(a.Answer)
			return answer.For(a.Request), err
		}))
	}
	workflow.Go(r.root, func(w workflow.Context) {
		workflow.GetSignalChannel(r.outer, SignalStop).Receive(w, nil)
		r.stopper.Stop()
	})
	workflow.Go(r.outer, func(w workflow.Context) {
		if w.Done().Receive(w, nil); w.Err() != nil {
			r.cancel(errCancelled)
		}
	})
	return err
}

// answerTo returns the answer to the one open request of a node of another graph. It is in JSON, as that graph may run in a child workflow.
func (r *run[M, I, O, S]) answerTo(path string, a *Answer) (graphgen.Answer[M], error) {
	id, wrong := a.Request, error(nil)
	if r.pause != nil { // else CheckAnswer says so
		id, wrong = "", graphgen.ErrOtherNode
		for _, q := range r.pause.Requests {
			asks := q.Kind == graphgen.RequestDecision || q.Kind == graphgen.RequestReply
			if !asks || q.Within+"/"+q.Node != path || a.Request != "" && a.Request != q.ID {
				continue
			}
			if wrong = nil; id != "" {
				wrong = graphgen.ErrSeveral
			}
			id = q.ID
		}
	}
	if wrong != nil {
		wrong = &graphgen.ResumeError{Where: r.pause.Requests[0].Where, Err: wrong}
	}
	return graphgen.AnswerJSON[M](id, a.Answer), wrong
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// answers sets the handler of an update that answers a request. The validator refuses what Resume would refuse, so that no refused answer is in the
// history. The update has its result when the run waits again, or has ended.
func (r *run[M, I, O, S]) answers(name string, make func(*Answer) (graphgen.Answer[M], error)) error {
	valid := func(_ workflow.Context, given Answer) error {
		a, err := make(&given)
		if err == nil {
			err = engine.CheckAnswer(r.pause, r.graph.machine, a)
		}
		if err != nil {
			return refusal(err)
		}
		return nil
	}
	take := func(w workflow.Context, given Answer) (Status, error) {
		a, err := make(&given)
		if err != nil {
			return Status{}, refusal(err)
		}
		done, problem := false, error(nil)
		var opts []graphgen.ResumeOption
		if given.By != "" {
			opts = append(opts, graphgen.AnsweredBy(given.By))
		}
		if given.Note != "" {
			opts = append(opts, graphgen.AnswerNote(given.Note))
		}
		r.resume(a, func(err error) { done, problem = true, err }, opts...)
		if err := workflow.Await(w, func() bool { return done || r.broken != nil }); err != nil {
			return Status{}, err
		}
		if e, refused := errors.AsType[*graphgen.ResumeError](problem); refused {
			return Status{}, refusal(e)
		}
		status, err := r.status()
		return status, err
	}
	return workflow.SetUpdateHandlerWithOptions(r.outer, name, take, workflow.UpdateHandlerOptions{Validator: valid})
}

// RefusalType is the type of the application error of an update whose answer is refused.
const RefusalType = "refused"

func refusal(err error) error {
	return temporal.NewNonRetryableApplicationError(err.Error(), RefusalType, nil)
}

func (r *run[M, I, O, S]) status() (Status, error) {
	s := Status{Phase: Running, Node: r.last.Node, Step: r.last.Step}
	switch {
	case r.calls > 0 || r.isHandedOver():
	case r.pause != nil:
		s.waits(r.pause.Requests)
	default:
		s.Phase, s.Ended = Ended, r.report.Reason.String()
	}
	return s, nil
}

// waits makes it the status of a run that waits for people.
func (s *Status) waits(requests []graphgen.Request) {
	s.Phase = Waiting
	for i := range requests {
		s.Waiting = append(s.Waiting, requests[i].ID)
	}
}

func (r *run[M, I, O, S]) state() (json.RawMessage, error) {
	s := graphgen.State[S](r.last)
	if s == nil {
		return nil, errors.New("the run has not begun")
	}
	return codec.Marshal(r.graph.methods.State(*s))
}

func (r *run[M, I, O, S]) requests() ([]graphgen.Request, error) {
	if r.pause == nil {
		return nil, nil
	}
	return engine.OpenRequests(r.pause), nil
}

func (r *run[M, I, O, S]) reported() (json.RawMessage, error) {
	if r.report.Graph == "" {
		return nil, nil
	}
	return r.report.AppendJSON(nil)
}

// result returns what the workflow returns.
func (r *run[M, I, O, S]) result() (O, error) {
	var none O
	switch {
	case r.err == nil:
		return r.out, nil
	case r.outer.Err() != nil:
		return none, r.outer.Err()
	case r.pause != nil:
		return none, temporal.NewNonRetryableApplicationError("stop requested: "+r.err.Error(), graphgen.Stopped.String(), nil)
	}
	reason := graphgen.Failed
	if e, ok := errors.AsType[*graphgen.RunError](r.err); ok {
		reason = e.Reason
	}
	return none, temporal.NewNonRetryableApplicationError(r.err.Error(), reason.String(), nil)
}

// attribute keeps the search attributes of the workflow.
func (r *run[M, I, O, S]) attribute() {
	if !r.set.attributes {
		return
	}
	status, node := Running, ""
	switch {
	case r.calls > 0:
	case r.pause == nil: // Temporal has the status of what has ended
		return
	default:
		status, node = Waiting, r.pause.Requests[0].Node
	}
	list := []temporal.SearchAttributeUpdate{
		temporal.NewSearchAttributeKeyKeyword("GraphgenGraph").ValueSet(r.name),
		temporal.NewSearchAttributeKeyKeyword("GraphgenStatus").ValueSet(status),
		temporal.NewSearchAttributeKeyKeyword("GraphgenNode").ValueSet(node),
	}
	if r.set.tenant != nil {
		list = append(list, temporal.NewSearchAttributeKeyKeyword("GraphgenTenant").ValueSet(r.set.tenant(r.root)))
	}
	if err := workflow.UpsertTypedSearchAttributes(r.root, list...); err != nil {
		panic(err)
	}
}
