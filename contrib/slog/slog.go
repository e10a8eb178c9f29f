// Package graphslog logs runs of graphs with log/slog.
//
//	logger := slog.New(graphslog.Handler(slog.NewJSONHandler(os.Stderr, nil)))
//	m, err := review.NewReview(handlers, model, graphslog.Option(logger))
//
// Each record names its run, which separates runs at the same time. With Handler, so do
// the records that handlers, models and tools log with their context.
//
// Option logs no texts of models, tools, handlers and errors, unless Content asks for them.
package graphslog

import (
	"context"
	"log/slog"
	"time"

	"github.com/graphgen/graphgen"
)

// A Detail changes what Option logs.
type Detail func(*log)

// Content logs the arguments and results of tools, the questions to people, the messages of say nodes, and the texts of errors.
func Content() Detail { return func(l *log) { l.content = true } }

// Option logs the events of runs: their beginning and end, messages, and the calls of models and tools with the level Info,
// steps, routes and progress with Debug, retries and rejected routes with Warn, failures with Error. Pieces
// of answers are not logged.
//
// It also puts the run into the contexts of its steps, for Handler.
func Option(logger *slog.Logger, details ...Detail) graphgen.Option {
	if logger == nil {
		return graphgen.Invalid("graphslog.Option", "the logger is nil: leave it out")
	}
	l := &log{logger: logger}
	for _, d := range details {
		d(l)
	}
	begin := func(ctx context.Context, e graphgen.Event) (context.Context, func(graphgen.Event)) {
		return context.WithValue(ctx, runKey{}, e.Run), nil
	}
	return graphgen.Options(graphgen.WithObserver(l.observe), graphgen.WithHook(graphgen.Hook{Name: "slog", Begin: begin}))
}

// A log writes the events of runs.
type log struct {
	logger  *slog.Logger
	content bool
}

// levels are the levels of events; an event without a row is not logged.
var levels = map[graphgen.EventKind]slog.Level{
	graphgen.RunStart: slog.LevelInfo, graphgen.RunEnd: slog.LevelInfo, graphgen.Interrupt: slog.LevelInfo,
	graphgen.ModelEnd: slog.LevelInfo, graphgen.ToolEnd: slog.LevelInfo, graphgen.Mutated: slog.LevelInfo, graphgen.Say: slog.LevelInfo,
	graphgen.NodeStart: slog.LevelDebug, graphgen.NodeEnd: slog.LevelDebug, graphgen.Routed: slog.LevelDebug, graphgen.Progress: slog.LevelDebug,
	graphgen.ModelStart: slog.LevelDebug, graphgen.ToolStart: slog.LevelDebug, graphgen.CacheHit: slog.LevelDebug,
	graphgen.Retry: slog.LevelWarn, graphgen.RouteRejected: slog.LevelWarn, graphgen.OverBudget: slog.LevelWarn,
	graphgen.NodeFailed: slog.LevelError,
}

func (l *log) observe(e graphgen.Event) {
	level, logged := levels[e.Kind]
	ctx := context.Background() // the context of the run belongs to its steps
	if !logged {
		return
	}
	report := e.Report()
	paused := report != nil && report.Reason == graphgen.Paused
	if e.Err != nil && e.Kind != graphgen.Retry && e.Kind != graphgen.RouteRejected && !paused {
		level = slog.LevelError
	}
	if !l.logger.Enabled(ctx, level) {
		return
	}
	record := slog.NewRecord(e.Time, level, e.Kind.String(), 0)
	record.AddAttrs(runAttrs(e.Run)...)
	list := &attrs{content: l.content}
	list.step(&e)
	list.details(&e)
	record.AddAttrs(list.list...)
	_ = l.logger.Handler().Handle(ctx, record)
}

// runAttrs returns what identifies a run.
func runAttrs(r *graphgen.RunInfo) []slog.Attr {
	list := &attrs{}
	list.text("run", r.ID)
	list.text("thread", r.Thread)
	list.text("graph", r.Graph)
	list.text("within", r.Within)
	list.text("branch", r.Branch)
	return list.list
}

// attrs are the attributes of a record.
type attrs struct {
	list    []slog.Attr
	content bool
}

func (a *attrs) text(name, value string) {
	if value != "" {
		a.list = append(a.list, slog.String(name, value))
	}
}

func (a *attrs) number(name string, value int) {
	if value != 0 {
		a.list = append(a.list, slog.Int(name, value))
	}
}

func (a *attrs) span(name string, d time.Duration) {
	if d > 0 {
		a.list = append(a.list, slog.Duration(name, d))
	}
}

// step adds the node of an event.
func (a *attrs) step(e *graphgen.Event) {
	if e.Kind == graphgen.RunEnd {
		return
	}
	a.text("node", e.Node)
	a.text("kind", e.NodeKind)
	a.number("step", e.Step)
	a.number("visit", e.Visit)
}

// details adds what events of a kind have.
func (a *attrs) details(e *graphgen.Event) {
	add := func(attr slog.Attr) { a.list = append(a.list, attr) }
	if e.Skipped {
		add(slog.Bool("skipped", true))
	}
	text := "" // content
	switch e.Kind {
	case graphgen.NodeEnd, graphgen.NodeFailed:
		a.span("took", e.Took())
	case graphgen.Retry:
		attempt, wait := e.Retry()
		a.number("attempt", attempt)
		a.span("wait", wait)
	case graphgen.Routed:
		r := e.Route()
		a.text("to", r.To)
		a.text("rule", r.Rule.String())
		a.text("label", r.Label)
	case graphgen.RouteRejected:
		text = e.Rejected()
	case graphgen.Progress:
		_, text = e.Progress()
	case graphgen.ModelStart, graphgen.ModelEnd:
		a.model(e.Model())
	case graphgen.ToolStart:
		a.tool(e.Tool())
		text = e.Tool().Arguments
	case graphgen.ToolEnd:
		a.tool(e.Tool())
		text = e.Tool().Result
	case graphgen.Say:
		text = e.Message()
	case graphgen.Mutated:
		text, _ = e.Mutation()
	case graphgen.Interrupt:
		a.text("tool", e.Request().Tool)
		text = e.Request().Question
	case graphgen.RunEnd:
		if r := e.Report(); r != nil {
			a.report(r)
		}
	}
	if e.Err != nil {
		if a.content {
			a.text("error", e.Err.Error())
		} else {
			add(slog.Bool("failed", true))
		}
	}
	if a.content {
		a.text("text", text)
	}
}

// model adds a call of a model.
func (a *attrs) model(m graphgen.ModelEvent) {
	a.number("call", m.Call)
	a.text("model", m.Name)
	a.text("purpose", string(m.Purpose))
	a.number("call_attempt", m.Attempt)
	a.number("input_tokens", m.Usage.Input)
	a.number("output_tokens", m.Usage.Output)
	if m.Usage.Cost > 0 {
		a.list = append(a.list, slog.Float64("cost", m.Usage.Cost))
	}
	a.span("latency", m.Latency)
}

// tool adds a call of a tool.
func (a *attrs) tool(t graphgen.ToolEvent) {
	a.text("tool", t.Name)
	a.number("by", t.By)
	a.span("latency", t.Latency)
	if t.Again {
		a.list = append(a.list, slog.Bool("again", true))
	}
}

// report adds the sums of a report.
func (a *attrs) report(r *graphgen.Report) {
	a.text("reason", r.Reason.String())
	a.number("steps", r.Steps)
	a.number("retries", r.Retries)
	a.number("model_calls", r.ModelCalls)
	a.number("tool_calls", r.Tools.Made)
	a.number("input_tokens", r.Usage.Input)
	a.number("output_tokens", r.Usage.Output)
	if r.Usage.Cost > 0 {
		a.list = append(a.list, slog.Float64("cost", r.Usage.Cost))
	}
}

type runKey struct{}

// Handler returns a handler that adds the run, the node and the step to records that are logged with a
// context of a run with Option.
func Handler(h slog.Handler) slog.Handler { return handler{h} }

type handler struct{ slog.Handler }

// Handle adds the step to the record.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	run, ok := ctx.Value(runKey{}).(*graphgen.RunInfo)
	if !ok {
		return h.Handler.Handle(ctx, r)
	}
	list := &attrs{}
	list.text("run", run.ID)
	list.text("thread", run.Thread)
	list.text("graph", run.Graph)
	info := graphgen.Info(ctx)
	list.text("within", info.Within)
	list.text("branch", info.Branch)
	list.text("node", info.Node)
	list.number("step", info.Step)
	list.number("visit", info.Visit)
	list.number("attempt", info.Attempt)
	r = r.Clone()
	r.AddAttrs(list.list...)
	return h.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler with attributes.
func (h handler) WithAttrs(list []slog.Attr) slog.Handler { return handler{h.Handler.WithAttrs(list)} }

// WithGroup returns a handler with a group.
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
