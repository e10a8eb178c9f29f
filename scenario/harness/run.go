package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/scenario/wire"
)

// A mode is a method of running a machine. All must have the same result: observing changes
// nothing.
type mode uint8

const (
	observed mode = iota // Run, with an observer and a context that can be cancelled
	quiet                // Run, without observers, and with the smallest context that the scenario allows
	streamed             // Stream
	threaded             // Start in a thread, and Recover after each step; of durable graphs
	relayed              // Run, handed over after each step; of durable graphs
	logged               // Run, with a log of all events
	driven               // Run, with a log, driven by coroutines
	onEngine             // Run on another engine
	queued               // Start in a thread, by the workers of a queue; of durable graphs
)

var modeNames = [...]string{
	"Run with an observer", "Run without an observer", "Stream", "Start in a thread", "Run handed over", "Run with a log", "Run by coroutines",
	"Run on another engine", "Start by a queue",
}

// errHang cancels the context of a run when nothing else would end a wait.
var errHang = errors.New("the script hangs, and nothing ends the wait")

// Run makes one run of the machine whose methods run and stream are, on the script it was
// made with. S is the graph's state type.
func Run[S, I, O any](
	s *Script,
	run func(context.Context, I, ...graphgen.RunOption) (O, error),
	stream func(context.Context, I, ...graphgen.RunOption) *graphgen.Stream[O],
) {
	if s.mode == onEngine {
		s.runOnEngine(func() { runHere[S](s, run, stream) })
		return
	}
	runHere[S](s, run, stream)
}

// runHere makes the run where it is called.
func runHere[S, I, O any](
	s *Script,
	run func(context.Context, I, ...graphgen.RunOption) (O, error),
	stream func(context.Context, I, ...graphgen.RunOption) *graphgen.Stream[O],
) {
	var in I
	if err := s.known.decode(s.scenario.Input, &in); err != nil {
		s.problem = fmt.Errorf("input: %w", err)
		return
	}
	if err := s.rewind(); err != nil {
		s.problem = err
		return
	}
	if s.inRealTime() && s.takesTime() {
		s.problem = errTime
		return
	}
	ctx, done := s.context()
	defer done()
	var (
		state  S
		report graphgen.Report
		out    O
		err    error
	)
	start := s.runTime()
	watch, seen := s.watch()
	watch = append(watch, graphgen.WithReport(&report), graphgen.WithFinalState(&state)) // the events that end each call
	options := append(s.options(), watch...)
	var begins []graphgen.RunOption
	for _, o := range options {
		begins = append(begins, o)
	}
	if s.mode == logged || s.mode != driven && s.asks() { // a queue gives a run its ID
		begins = append(begins, graphgen.WithRunID(runID))
	}
	switch s.mode {
	case streamed:
		out, err = collect(s, stream(ctx, in, begins...))
	case threaded:
		watch = options // another process knows none of them
		var first any
		first, err = s.start(ctx, in, begins)
		out, err = inThread[O](ctx, s, first, err, options)
	case queued:
		s.queue.options = options
		out, err = byQueue[O](s, func() error { return s.queue.Start(ctx, s.queuedThread(), runID, in) })
	case relayed:
		watch = options
		out, err = relayedRun(ctx, s, in, begins, run)
	default:
		out, err = run(ctx, in, begins...)
	}
	out, err = resumeAnswered(ctx, s, out, err, watch)
	if context.Cause(ctx) == errHang {
		s.problem = errHang
	}
	s.played(err)
	s.result.Unanswered = s.leftOver()
	s.result.Takes = int64(s.runTime().Sub(start))
	s.endLog(&report, err)
	s.sum(&report, err)
	if !s.mode.saves() { // then each process has its own
		s.details(&report, &out, err)
	}
	for _, see := range seen {
		s.result.Seen += see()
	}
	s.result.State, s.result.Output = s.known.encode(&state), s.known.encode(&out)
}

// relayedRun makes the run by processes of which each hands it over to the next one.
func relayedRun[I, O any](
	ctx context.Context, s *Script, in I, begins []graphgen.RunOption, run func(context.Context, I, ...graphgen.RunOption) (O, error),
) (O, error) {
	s.carryOn = func(from []byte) (any, error) {
		option, err := s.relay(from, begins)
		if err != nil {
			return *new(O), err
		}
		if from != nil {
			in = *new(I) // another process has what was handed over, and not the input
		}
		return run(ctx, in, option)
	}
	first, err := s.carryOn(nil)
	return overRelays[O](s, first, err)
}

// watch returns the options that watch the run in its mode, and what the probes have seen after it.
func (s *Script) watch() (options []graphgen.CallOption, seen []func() string) {
	options = append(s.hooks(), s.drives()...)
	switch s.mode {
	case observed:
		options = append(options, graphgen.WithObserver(s.observe))
	case streamed:
		options = append(options, graphgen.WithHook(s.scope()), graphgen.WithTimings())
		for _, probe := range s.probes {
			option, see := probe()
			options, seen = append(options, option), append(seen, see)
		}
	}
	return options, seen
}

// context returns the context of the run, and a function for its end.
func (s *Script) context() (context.Context, func()) {
	ctx, free := s.background(), func() {}
	w := s.scenario
	if s.mode == quiet && !s.waits() {
		s.cancel = func(error) {}
		return ctx, free
	}
	ctx, free = s.within(ctx, s.longest(), errHang)
	ctx, s.cancel = context.WithCancelCause(ctx)
	if w.Deadline > 0 {
		inner, cancel := s.within(ctx, time.Duration(w.Deadline), context.DeadlineExceeded)
		hang := free
		ctx, free = inner, func() { cancel(); hang() }
	}
	if w.Cancelled {
		s.cancel(errCancelled)
	}
	return ctx, func() { s.cancel(nil); free() }
}

// waits reports whether the scenario depends on its context.
func (s *Script) waits() bool {
	w := s.scenario
	if w.Cancelled || w.Deadline > 0 {
		return true
	}
	return anyEntry(w.Script, func(e wire.Entry) bool { return e.Hang || e.Cancel || e.After > 0 }) ||
		anyEntry(w.Tools, func(e wire.ToolEntry) bool { return e.Hang })
}

// anyEntry reports whether an entry of a plan satisfies such.
func anyEntry[E any](all map[string]wire.Steps[E], such func(E) bool) bool {
	for _, steps := range all {
		for _, leaf := range steps.Leaves() {
			if slices.ContainsFunc(leaf.Entries, such) {
				return true
			}
		}
	}
	return false
}

func (s *Script) options() []graphgen.CallOption {
	w := s.scenario
	var options []graphgen.CallOption
	if w.Stopped || anyEntry(w.Script, func(e wire.Entry) bool { return e.Stop }) {
		s.stopper = new(graphgen.Stopper)
		options = append(options, graphgen.WithStopper(s.stopper))
	}
	if w.Stopped {
		s.stopper.Stop()
	}
	return append(options, s.agentOptions()...)
}

func (s *Script) hooks() []graphgen.CallOption {
	var options []graphgen.CallOption
	for i := range s.scenario.Hooks {
		options = append(options, graphgen.WithHook(s.hook(i)))
	}
	return options
}

// agentOptions returns the options of a graph that asks models or calls tools.
func (s *Script) agentOptions() []graphgen.CallOption {
	if s.mode == onEngine { // the engine has the models and the toolboxes
		return append(s.onDemand(), s.budgets()...)
	}
	var options []graphgen.CallOption
	if s.asks() {
		options = append(options, graphgen.WithLightModel(s.Light()))
	}
	if s.queue == nil { // else its machine has them
		for _, box := range s.Boxes() {
			options = append(options, graphgen.WithToolbox(box))
		}
	}
	return append(append(options, s.onDemand()...), s.budgets()...)
}

// onDemand returns the options that a scenario asks for.
func (s *Script) onDemand() (options []graphgen.CallOption) {
	if s.scenario.Recording != "" {
		options = append(options, s.playTools())
	}
	if s.scenario.DryRun {
		options = append(options, graphgen.WithDryRun())
	}
	return options
}

func (s *Script) budgets() []graphgen.CallOption {
	b := s.scenario.Budget
	if b == (wire.Budget{}) {
		return nil
	}
	return []graphgen.CallOption{
		graphgen.WithBudgets(graphgen.Budgets{Tokens: b.Tokens, Cost: b.Cost, ModelCalls: b.ModelCalls, ToolCalls: b.ToolCalls}),
	}
}

// asks reports whether any graph asks a model.
func (s *Script) asks() bool {
	asks := len(s.scenario.Agents) > 0
	for _, g := range s.scenario.Nested {
		asks = asks || len(g.Agents) > 0
	}
	return asks
}

// target returns the target of an event, with the path of a child run.
func target(e graphgen.Event) string {
	to := ""
	switch {
	case e.Kind == graphgen.Routed:
		to = e.Route().To
	case e.Kind == graphgen.RouteRejected:
		to = e.Rejected()
	}
	if to == "" || to == "end" {
		return to
	}
	return wire.Join(e.Run.Within, to)
}

type scopeKey struct{}

// scope returns a hook that wraps every step and changes nothing. It holds that the scopes of the steps in
// a step are in that step's.
func (s *Script) scope() graphgen.Hook {
	return graphgen.Hook{Name: "scope", Around: func(ctx context.Context, e graphgen.Event, next func(context.Context) error) error {
		info := graphgen.Info(ctx)
		if info.Node != e.Node || info.Step != e.Step || info.Branch != e.Run.Branch {
			return s.mistake(fmt.Sprintf("the scope of step %d, %s, is that of step %d, %s", e.Step, e.Node, info.Step, info.Node))
		}
		around, _ := ctx.Value(scopeKey{}).(string)
		if within := e.Run.Within != "" || e.Run.Branch != ""; within && around == "" {
			return s.mistake(fmt.Sprintf("step %d, %s of %s %s, is in no other step", e.Step, e.Node, e.Run.Within, e.Run.Branch))
		}
		return next(context.WithValue(ctx, scopeKey{}, around+"/"+e.Node))
	}}
}

func (s *Script) hook(i int) graphgen.Hook {
	w := &s.scenario.Hooks[i]
	fail := func(_ context.Context, e graphgen.Event) error {
		switch {
		case w.Node != "" && w.Node != wire.Join(e.Run.Within, e.Node), w.Visit > 0 && w.Visit != e.Visit:
			return nil
		}
		s.use(entryKey{entry: i, key: "hooks"})
		switch {
		case w.Panic != "":
			panic(w.Panic)
		case w.Budget != "":
			return &graphgen.LimitError{Limit: graphgen.LimitBudget, Of: w.Budget}
		}
		return errorOf(w.Error)
	}
	h := graphgen.Hook{Name: "scenario", Governing: w.Governing, Before: fail}
	if w.After {
		h.Before, h.After = nil, fail
	}
	return h
}

func (s *Script) observe(e graphgen.Event) {
	if !s.scenario.Events {
		return
	}
	event := wire.Event{
		Kind: e.Kind.String(), Node: wire.Join(e.Run.Within, e.Node), To: target(e), Skipped: e.Skipped,
		Step: e.Step, Visit: e.Visit, Line: e.Pos().Line, Branch: e.Run.Branch,
	}
	details(&e, &event)
	if p, ok := graphgen.Payload[any](e); ok {
		event.Payload = s.known.encodeValue(reflect.ValueOf(p))
	}
	if e.Err != nil {
		event.Error = e.Err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, placed[wire.Event]{event, s.key(s.eventPlace(&e))})
}

// details sets what events of a kind have.
func details(e *graphgen.Event, event *wire.Event) {
	switch e.Kind {
	case graphgen.Routed:
		r := e.Route()
		event.Rule, event.Reason = r.Rule.String(), r.Reason
	case graphgen.NodeEnd:
		event.Text = e.Answer()
	case graphgen.Retry:
		event.Attempt, _ = e.Retry()
	case graphgen.Progress:
		event.Reason, event.Text = e.Progress()
	case graphgen.Token:
		d := e.Token()
		event.Text, event.Tool = d.Text, d.Tool
	case graphgen.ToolStart:
		event.Tool, event.Text = e.Tool().Name, e.Tool().Arguments
	case graphgen.ToolEnd:
		event.Tool, event.Text = e.Tool().Name, e.Tool().Result
	case graphgen.Mutated:
		event.Text, event.Reason = e.Mutation()
	case graphgen.Say:
		event.Text = e.Message()
	case graphgen.Interrupt:
		q := e.Request()
		event.Tool, event.Text = q.Tool, q.Question
	}
}

// eventPlace returns the place of an event. Entering a branch happens at the parent node, but
// the branch reports it.
func (s *Script) eventPlace(e *graphgen.Event) place {
	node := wire.Join(e.Run.Within, e.Node)
	branch := e.Run.Branch
	if branch != "" && len(s.scenario.PlaceOf(node).Levels) <= strings.Count(branch, "/") {
		return place{target(*e), branch}
	}
	return place{node, branch}
}

// sum adds the kernel's report to the result.
func (s *Script) sum(report *graphgen.Report, err error) {
	r := s.result
	r.Path, r.End, r.Ending, r.Steps, r.Dropped = report.NodePath(), report.Reason.String(), report.Ending, report.Steps, report.Dropped
	r.Retries, r.CacheHits, r.Rejected, r.HookFailures = report.Retries, report.CacheHits, report.Rejected, report.HookFailures
	r.Refused, r.Mutations = len(report.Refusals), mutations(report)
	for i := range report.Transitions {
		r.Transitions = append(r.Transitions, report.Transitions[i].Count)
	}
	for i := range report.Nodes {
		r.Visits = append(r.Visits, report.Nodes[i].Visits)
	}
	for _, f := range report.Failures {
		r.Failures = append(r.Failures, wire.Failure{Error: *describe(f.Err), Soft: f.Soft, Cleared: f.Cleared})
	}
	if err != nil {
		r.Error = describe(err)
	}
	r.Events, r.Executions, r.Cancelled = inOrder(s.events), inOrder(s.executions), inOrder(s.cut)
	r.MaxAtOnce = mostAtOnce(s.spans)
	r.Shown = s.shown
	r.Spent = wire.Spent{
		Prompts: s.lastPrompts(), ToolCalls: s.toolCallsMade(), Unasked: s.unasked(r.Calls),
		Usage:      wire.Usage{Input: report.Usage.Input, Output: report.Usage.Output, Cost: report.Usage.Cost},
		ModelCalls: report.ModelCalls, Tools: wire.ToolCount(report.Tools),
	}
	for _, q := range inOrder(s.questions) {
		r.Spent.Asked, r.Spent.Judged = append(r.Spent.Asked, q.choices), q.shown
	}
}

// lastPrompts returns the last requests of the nodes; for a node in a map, the request for the last
// element.
func (s *Script) lastPrompts() map[string]wire.Prompt {
	last := make(map[string]placed[wire.Prompt])
	for at, p := range s.requests {
		if before, ok := last[at.node]; !ok || compareKeys(before.key, p.key) < 0 {
			last[at.node] = p
		}
	}
	prompts := make(map[string]wire.Prompt)
	for node, p := range last {
		prompts[node] = p.value
	}
	return prompts
}

// describe returns a description of an error and its chain.
func describe(err error) *wire.Error {
	e := &wire.Error{Text: err.Error()}
	link(e, err)
	return e
}

// link adds an error, and those it wraps, to a description.
func link(e *wire.Error, err error) {
	name := reflect.TypeOf(err).String()
	e.Types = append(e.Types, name[strings.LastIndexByte(name, '.')+1:])
	switch err := err.(type) {
	case *graphgen.LimitError:
		e.Limits = append(e.Limits, err.Limit.String())
	case *chat.ModelError:
		e.Kinds = append(e.Kinds, err.Kind.String())
	case *chat.ToolError:
		e.Kinds = append(e.Kinds, err.Kind.String())
	}
	if where := whereOf(err); where != nil && e.Node == "" {
		e.Node, e.Step, e.Visit, e.Line, e.Branch = where.Node, where.Step, where.Visit, where.Pos.Line, where.Branch
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			link(e, inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range err.Unwrap() {
			link(e, inner)
		}
	}
}

func whereOf(err error) *graphgen.Where {
	switch err := err.(type) {
	case *graphgen.NodeError:
		return &err.Where
	case *graphgen.LimitError:
		return err.Where
	case *graphgen.CancelledError:
		return &err.Where
	case *graphgen.StopError:
		return &err.Where
	case *graphgen.HookError:
		return &err.Where
	case *graphgen.InterruptedError:
		return &err.Pause.Requests[0].Where
	case *graphgen.ResumeError:
		return &err.Where
	}
	return nil
}

// differs names what two results of one scenario do not agree on, "" if they agree.
func differs(a, b *wire.Result) string {
	text := func(e *wire.Error) string {
		if e == nil {
			return ""
		}
		return e.Text
	}
	return cmp.Or(
		difference("error", text(a.Error), text(b.Error)),
		difference("path", strings.Join(a.Path, ", "), strings.Join(b.Path, ", ")),
		difference("end", a.End, b.End),
		difference("state", string(a.State), string(b.State)),
		difference("output", string(a.Output), string(b.Output)),
		difference("mutations", fmt.Sprint(a.Mutations), fmt.Sprint(b.Mutations)),
		difference("transitions", fmt.Sprint(a.Transitions), fmt.Sprint(b.Transitions)),
		difference("what guards passed", fmt.Sprint(a.Passed), fmt.Sprint(b.Passed)),
		difference("what prompts left out", strings.Join(a.LeftOut, ", "), strings.Join(b.LeftOut, ", ")),
		difference("what models and tools did", spentText(a), spentText(b)),
	)
}

// differsElsewhere names what the result of another engine or of a queue does not agree on with the first one.
func differsElsewhere(first, other *wire.Result) string {
	return cmp.Or(
		differs(first, other),
		difference("requests", strings.Join(first.Requests, ", "), strings.Join(other.Requests, ", ")),
		difference("failures", failedNodes(first), failedNodes(other)),
	)
}

// failedNodes lists the nodes that have failed and how that was handled, each once, unless a limit has cut branches off: then it depends on the schedule.
func failedNodes(r *wire.Result) string {
	if r.Error != nil && len(r.Error.Limits) > 0 {
		return ""
	}
	var list []string
	for _, f := range r.Failures {
		list = append(list, fmt.Sprint(f.Error.Node, " soft ", f.Soft, " cleared ", f.Cleared))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

// spentText is what models were asked and tools were given, as one text.
func spentText(r *wire.Result) string {
	text, err := json.Marshal(r.Spent)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// difference describes how two texts differ, with what is around the first place where they do.
func difference(what, a, b string) string {
	if a == b {
		return ""
	}
	const before, longest = 60, 300
	from := 0
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	if from -= before; max(len(a), len(b)) <= longest {
		from = 0
	}
	cut := func(s string) string {
		if from > 0 {
			s = "…" + s[from:]
		}
		if len(s) > longest {
			s = s[:longest] + "…"
		}
		return strings.ToValidUTF8(s, "")
	}
	return fmt.Sprintf("%s is %q and %q", what, cut(a), cut(b))
}
