package hooks

import (
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/internal/absent"
)

// Log writes a line for each event of a run to w, except for pieces of answers. Each line is one Write, and names
// the run, which separates runs at the same time:
//
//	2026-03-01T12:30:00.250Z node_end run=r1 graph=review node=draft kind=prompt step=1 visit=1 took=1.5s
//
// It has no texts of models, tools, handlers or errors. The error of w is ignored.
func Log(w io.Writer, nodes ...string) graphgen.Option {
	if absent.Is(w) {
		return graphgen.Invalid("hooks.Log", "the writer is nil: leave it out")
	}
	l := &logger{w: w, nodes: nodes}
	return watching("hooks.Log", nodes, graphgen.WithObserver(l.log))
}

// A logger writes the lines of runs.
type logger struct {
	nodes selection
	mu    sync.Mutex // of what follows
	w     io.Writer
	line  []byte
}

func (l *logger) log(e graphgen.Event) {
	if e.Kind == graphgen.Token || e.Node != "" && !l.nodes.has(&e) && e.Kind != graphgen.RunEnd {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = e.Time.UTC().AppendFormat(l.line[:0], "2006-01-02T15:04:05.000Z")
	l.line = append(append(l.line, ' '), e.Kind.String()...)
	l.text("run", e.Run.ID)
	l.text("thread", e.Run.Thread)
	l.text("graph", e.Run.Graph)
	l.text("within", e.Run.Within)
	l.text("branch", e.Run.Branch)
	if e.Kind != graphgen.RunEnd {
		l.text("node", e.Node)
		l.text("kind", e.NodeKind)
		l.number("step", e.Step)
		l.number("visit", e.Visit)
	}
	l.details(&e)
	l.line = append(l.line, '\n')
	_, _ = l.w.Write(l.line)
}

// details writes what events of a kind have.
func (l *logger) details(e *graphgen.Event) {
	if e.Skipped {
		l.text("skipped", "true")
	}
	switch e.Kind {
	case graphgen.NodeEnd, graphgen.NodeFailed:
		l.span("took", e.Took())
	case graphgen.Retry:
		attempt, wait := e.Retry()
		l.number("attempt", attempt)
		l.span("wait", wait)
	case graphgen.Routed:
		r := e.Route()
		l.text("to", r.To)
		l.text("rule", r.Rule.String())
		l.text("label", r.Label)
	case graphgen.ModelStart, graphgen.ModelEnd:
		m := e.Model()
		l.number("call", m.Call)
		l.text("model", m.Name)
		l.number("input", m.Usage.Input)
		l.number("output", m.Usage.Output)
		l.span("latency", m.Latency)
	case graphgen.ToolStart, graphgen.ToolEnd:
		t := e.Tool()
		l.number("by", t.By)
		l.text("tool", t.Name)
		l.span("latency", t.Latency)
	case graphgen.Interrupt:
		l.text("tool", e.Request().Tool)
	case graphgen.RunEnd:
		if r := e.Report(); r != nil {
			l.text("reason", r.Reason.String())
			l.number("steps", r.Steps)
		}
	}
	if e.Err != nil {
		l.text("failed", "true")
	}
}

// text writes a field, quoted where it would not be one word.
func (l *logger) text(name, value string) {
	if value == "" {
		return
	}
	l.line = append(append(append(l.line, ' '), name...), '=')
	for i := range len(value) {
		if c := value[i]; c <= ' ' || c == '"' || c == '=' || c >= 0x7f {
			l.line = strconv.AppendQuoteToASCII(l.line, value)
			return
		}
	}
	l.line = append(l.line, value...)
}

func (l *logger) number(name string, value int) {
	if value != 0 {
		l.line = append(append(append(l.line, ' '), name...), '=')
		l.line = strconv.AppendInt(l.line, int64(value), 10)
	}
}

func (l *logger) span(name string, d time.Duration) {
	if d > 0 {
		l.text(name, d.String())
	}
}
