// Package scriptdriver runs generated machines with scripted handlers and records what each run
// did. The machines of the differential test link against it.
package scriptdriver

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/runtime/codec"
)

// An Entry is what a handler does in one execution.
type Entry struct {
	Kind   string            `json:"kind,omitempty"`   // "" succeeds; see the constants
	Out    map[string]any    `json:"out,omitempty"`    // output by field; the whole output is the field ""
	Set    map[string]any    `json:"set,omitempty"`    // state fields the handler changes
	Goto   int               `json:"goto,omitempty"`   // 1 is the first target, 0 none
	Label  int               `json:"label,omitempty"`  // 1 is the first label, 0 none
	Mutate []mutation.Change `json:"mutate,omitempty"` // what it asks of the run's graph
	Text   string            `json:"text,omitempty"`   // of a model: its answer; of one that judges edges: its choice
	Calls  []chat.ToolCall   `json:"calls,omitempty"`  // of a model: the tools that it requests

	text string
	ctx  context.Context
}

// The kinds of entries that do not succeed.
const (
	Fails     = "error"
	Transient = "transient"
	Panics    = "panic"
	Rejects   = "reject" // of a guard
	Waits     = "wait"   // until the context is done
)

// A Script is what the handlers and the models of a graph do in one run.
type Script struct {
	Input map[string]any     `json:"input"`
	Nodes map[string][]Entry `json:"nodes"` // by node, guard or JudgeOf a node; executions beyond the last begin again with the first
	// Schedule determines how long executions take on a clock that costs no time; 0: no time.
	Schedule int `json:"schedule,omitempty"`

	Break int   `json:"break"`          // the call of a handler at which an interrupted run is interrupted
	Acts  []Act `json:"acts,omitempty"` // at the pauses of a run, in the modes of Asking; none: it does not pause
}

// A Result is what a run did, in a form that can be compared.
type Result struct {
	Reason      string
	Ending      string // the name of the end
	Steps       int
	Path        []string // node/visit
	Err         string   // the chain of the error
	State       string
	Output      string
	Counts      string // retries, cache hits, skips, rejected routes, calls of models and tools
	Failures    []string
	Transitions []string // from>to rule ×count, sorted
	Calls       []string // of handlers, guards and models, with what they were given
	Tools       []string // calls that tools received, sorted: those of one turn have no order
	Events      []string `json:",omitempty"` // only where the run is observed
	Mutations   []string // what nodes asked of the run's graph, and whether they were refused
	Nested      []string // runs of other graphs within this one, as the path has them
	Pauses      []string `json:",omitempty"` // with their requests
	Cut         bool     `json:",omitempty"` // it was abandoned, or a call was cancelled
	Answered    []string `json:",omitempty"` // at each pause, where two requests are answered concurrently: the IDs, in the order of the answers

	Rows  []string // what the handlers of transactions have written, by handler; only in threads
	Wrong []string // rows that were written twice, calls that another process has made otherwise, and what a misused machine does wrong
}

// NestedRun returns the text for a child run of another graph.
func NestedRun(node, reason string, steps int, path []string) string {
	return fmt.Sprintf("%s ends %s in %d steps: %s", node, reason, steps, strings.Join(path, " "))
}

// A Machine is a generated machine with its scripted handlers.
type Machine struct {
	Name    string
	Durable bool
	Again   bool // a node that runs another graph may be tried again: executions in its attempts have the same keys
	Run     func(p *Player)
}

// A Player plays one script to one run.
type Player struct {
	machine   Machine
	script    *Script
	mode      Mode
	ctx       context.Context
	given     []graphgen.CallOption
	played    map[string]int
	calling   sync.Mutex // tools, and the handlers of branches, are called by several goroutines at once
	calls     int
	breaks    int // the call at which the run is interrupted
	interrupt func()
	start     time.Time
	got       Result
	people

	store  *store           // of the thread of the run; nil: it is in none
	step   int              // that has begun last
	made   map[string]*call // by identity
	turns  map[string]int   // calls of this process
	models map[string]bool  // names under which models have called
	differ []string
}

// Next returns what the handler of that name does in this execution, and records its input.
// The context is nil in a handler that has none. In a handler that runs within maps, elements
// identifies the elements for which it runs.
func (p *Player) Next(ctx context.Context, name, elements, given string) *Entry {
	timed := p.script.Schedule > 0
	if timed && ctx != nil && ctx.Err() != nil {
		return &Entry{Kind: Cancelled, ctx: ctx}
	}
	key := name + elements
	e, n := p.next(ctx, name, key, given, timed)
	e.ctx, e.text = ctx, fmt.Sprintf("%s#%d", key, n+1)
	if timed && !p.work(ctx, Takes(p.script.Schedule, key, n)) {
		return &Entry{Kind: Cancelled, ctx: ctx}
	}
	return &e
}

// next records a call, and returns its entry and how often the handler was called before.
func (p *Player) next(ctx context.Context, name, key, given string, timed bool) (Entry, int) {
	p.calling.Lock()
	defer p.calling.Unlock()
	identity, made := p.again(ctx, name, key, given)
	if p.store != nil && ctx != nil {
		_ = p.store.memory.Write(ctx, identity) // nothing outside of a transaction
	}
	if made != nil {
		return made.entry, made.n
	}
	p.calls++
	if p.calls == p.breaks && p.interrupt != nil {
		p.interrupt()
	}
	p.executes(ctx, name, key)
	list := p.script.Nodes[name]
	n := p.played[key]
	p.played[key]++
	told := p.info(ctx)
	if timed {
		told = At(p.now()) + told
	}
	p.got.Calls = append(p.got.Calls, key+" "+told+given)
	e := list[Turn(name, key, n, len(list))]
	if p.store != nil {
		p.made[identity] = &call{entry: e, n: n, given: given}
	}
	return e, n
}

// info is what the handler can learn about its step, if it asks.
func (p *Player) info(ctx context.Context) string {
	if ctx == nil || p.mode.Asks == 0 || p.calls%p.mode.Asks != 0 {
		return ""
	}
	i := graphgen.Info(ctx)
	s := fmt.Sprintf("step %d visit %d attempt %d ", i.Step, i.Visit, i.Attempt)
	if i.Failure != nil {
		s += fmt.Sprintf("after %s@%d ", i.Failure.Where.Node, i.Failure.Where.Step)
	}
	if len(i.Feedback) > 0 {
		s += fmt.Sprintf("feedback %v ", i.Feedback)
	}
	return s
}

// Err performs the entry without its values: it returns an error, panics, waits.
func (e *Entry) Err() error {
	switch e.Kind {
	case Fails:
		return scripted(e.text)
	case Transient:
		return graphgen.Transient(scripted(e.text))
	case Panics:
		panic(scripted(e.text))
	case Rejects:
		return graphgen.Reject(e.text)
	case Cancelled:
		return e.ctx.Err()
	case Waits:
		<-e.ctx.Done()
		return scripted(e.text)
	}
	return nil
}

// scripted is the error of a scripted handler.
type scripted string

func (e scripted) Error() string { return string(e) }

// Fill puts the output's values where the pairs of names and pointers say.
func (e *Entry) Fill(pairs ...any) { fill(e.Out, pairs) }

// Change puts the values the handler changes in the state where the pairs say.
func (e *Entry) Change(pairs ...any) { fill(e.Set, pairs) }

// Input puts the run's input where the pairs say.
func (p *Player) Input(pairs ...any) { fill(p.script.Input, pairs) }

func fill(values map[string]any, pairs []any) {
	for i := 0; i < len(pairs); i += 2 {
		if v, ok := values[pairs[i].(string)]; ok {
			put(pairs[i+1], v)
		}
	}
}

// put stores a JSON value.
func put(to, v any) {
	if !putTalk(to, v) {
		assign(reflect.ValueOf(to).Elem(), v)
	}
}

// assign stores a JSON value in a number, a text, a list, a map or an optional value. An empty list is nil.
func assign(to reflect.Value, v any) {
	to.SetZero()
	switch x := v.(type) {
	case nil:
	case []any:
		for _, v := range x {
			one := reflect.New(to.Type().Elem()).Elem()
			assign(one, v)
			to.Set(reflect.Append(to, one))
		}
	case map[string]any:
		to.Set(reflect.MakeMap(to.Type()))
		for key, v := range x {
			one := reflect.New(to.Type().Elem()).Elem()
			assign(one, v)
			to.SetMapIndex(reflect.ValueOf(key), one)
		}
	default:
		if to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			to = to.Elem()
		}
		to.Set(reflect.ValueOf(v).Convert(to.Type()))
	}
}

// Dump prints named values: pairs of a name and a value.
func Dump(pairs ...any) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "%s=%s ", pairs[i], Text(pairs[i+1]))
	}
	return b.String()
}

// Text prints a value: an absent or empty one as it is, lists and maps in Go's order, an enum as its number.
func Text(v any) string {
	v = plain(v)
	switch of := reflect.ValueOf(v); of.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Pointer:
		if of.IsNil() {
			return "nil"
		}
		return Text(of.Elem().Interface())
	case reflect.Uint8:
		return fmt.Sprint(of.Uint())
	}
	switch v.(type) {
	case string, []string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

func (p *Player) event(e graphgen.Event) {
	p.calling.Lock()
	defer p.calling.Unlock()
	p.got.Events = append(p.got.Events, eventText(e))
}

// eventText is the text of an event.
func eventText(e graphgen.Event) string {
	s := fmt.Sprintf("%s %s step %d visit %d", e.Kind, e.Node, e.Step, e.Visit)
	switch e.Kind {
	case graphgen.RunStart:
		return "run_start"
	case graphgen.RunEnd:
		return "run_end: " + chain(e.Err)
	case graphgen.NodeEnd:
		if e.Skipped {
			s += " skipped"
		}
	case graphgen.Routed:
		s += fmt.Sprintf(" to %s by %s", e.Route().To, e.Route().Rule)
	case graphgen.RouteRejected:
		s += " named " + e.Rejected()
	case graphgen.Say:
		payload := ""
		if p, ok := graphgen.Payload[codec.Marshaler](e); ok {
			data, err := codec.Marshal(p)
			payload = string(data) + chain(err)
		}
		s += ": " + e.Message() + " " + payload + chain(e.Err)
	case graphgen.Retry:
		attempt, _ := e.Retry()
		s += fmt.Sprintf(" attempt %d: %s", attempt, chain(e.Err))
	case graphgen.NodeFailed:
		s += ": " + chain(e.Err)
	case graphgen.Token:
		s += " " + strings.TrimSpace(e.Token().Tool+" "+e.Token().Text)
	case graphgen.ToolStart:
		s += " " + strings.TrimSpace(e.Tool().Name+" "+e.Tool().Arguments)
	case graphgen.ToolEnd:
		text := e.Tool().Result
		if e.Err != nil {
			text = "failed"
		}
		s += " " + e.Tool().Name + " " + text
	}
	return s
}

// report turns what the last call of a run has returned into the comparable form.
func (p *Player) report(e *Ended) Result {
	got, r := p.got, e.report
	got.State, got.Output = e.State, e.Output
	got.Reason, got.Ending, got.Steps, got.Err = r.Reason.String(), r.Ending, r.Steps, chain(e.Err)
	got.Path = path(r)
	got.Counts = fmt.Sprintf("retries %d, cache hits %d, skips %d, rejected %d, models %d, tools %d failed %d repeated %d",
		r.Retries, r.CacheHits, r.Skips, r.Rejected, r.ModelCalls, r.Tools.Made, r.Tools.Failed, r.Tools.Deduplicated)
	got.Rows, got.Wrong = p.kept()
	slices.Sort(got.Tools)
	got.Events = SortTools(got.Events)
	for _, f := range r.Failures {
		got.Failures = append(got.Failures, fmt.Sprintf("%s soft=%t cleared=%t", chain(f.Err), f.Soft, f.Cleared))
	}
	for _, c := range r.Mutations {
		got.Mutations = append(got.Mutations, Verdict(c.Node, c.Action, c.Refused == ""))
	}
	for _, n := range r.Nested {
		got.Nested = append(got.Nested, NestedRun(n.Node, n.Report.Reason.String(), n.Report.Steps, path(n.Report)))
	}
	counts := map[string]int{}
	for _, w := range r.Transitions {
		counts[fmt.Sprintf("%s>%s %s", w.From, w.To, w.Rule)] += w.Count
	}
	for way, n := range counts {
		if n > 0 {
			got.Transitions = append(got.Transitions, fmt.Sprintf("%s ×%d", way, n))
		}
	}
	slices.Sort(got.Transitions)
	return got
}

// path lists the visits of a report.
func path(r *graphgen.Report) []string {
	var out []string
	for _, v := range r.Path {
		out = append(out, fmt.Sprintf("%s/%d", v.Node, v.Visit))
	}
	return out
}

// Branches returns the text for too few branches that succeeded.
func Branches(succeeded, of int, errs []string) string {
	return fmt.Sprintf("branches(%d of %d)%q", succeeded, of, errs)
}

// levelOfRun describes an error that has others of the run in it.
func levelOfRun(err error) (text string, ok bool) {
	switch e := err.(type) {
	case nil:
	case *graphgen.RunError:
		text = "run(" + e.Reason.String() + ") " + chain(e.Err)
	case *graphgen.NodeError:
		w := e.Where
		text = fmt.Sprintf("node(%s step %d visit %d attempt %d line %d) %s", w.Node, w.Step, w.Visit, e.Attempt, w.Pos.Line, chain(e.Err))
	case *graphgen.CancelledError:
		text = fmt.Sprintf("cancelled(%s) %v", e.Where.Node, errors.Is(e, errInterrupt))
		if e.Failure != nil {
			text += " " + chain(e.Failure)
		}
	case *graphgen.BranchesError:
		var errs []string
		for _, err := range e.Errs {
			errs = append(errs, chain(err))
		}
		text = Branches(e.Succeeded, e.Branches, errs)
	default:
		return "", false
	}
	return text, true
}

// chain describes an error: the type at each level, with its own message.
func chain(err error) string {
	if text, ok := levelOfRun(err); ok {
		return text
	}
	switch e := err.(type) {
	case *graphgen.LimitError:
		switch e.Limit {
		case graphgen.LimitVisits:
			return fmt.Sprintf("visits(%v)", e.Max)
		case graphgen.LimitSteps:
			return fmt.Sprintf("steps(%s %v)", e.Where.Node, e.Max)
		case graphgen.LimitTimeout:
			return "timeout(" + e.Of + ")"
		case graphgen.LimitBudget:
			return fmt.Sprintf("budget(%s %v)", e.Of, e.Max)
		}
	case *graphgen.HookError:
		return fmt.Sprintf("hook(%s %s) %s", e.Hook, e.Where.Node, chain(e.Err))
	case *graphgen.StopError:
		return fmt.Sprintf("stop(%s)", e.Where.Node)
	case *graphgen.NoEdgeMatchedError:
		var to []string
		for _, c := range e.Candidates {
			to = append(to, c.To)
		}
		slices.Sort(to)
		return fmt.Sprintf("nomatch(%s)", strings.Join(slices.Compact(to), " "))
	case *graphgen.InvalidChoiceError:
		return fmt.Sprintf("choice(%s %d)", e.What, e.Value)
	case *graphgen.GuardsError:
		return fmt.Sprintf("guards%v", e.Failed)
	case *graphgen.PanicError:
		if s, ok := e.Value.(scripted); ok {
			return "panic(" + string(s) + ")"
		}
		return "panic"
	case *graphgen.DeniedError:
		return "denied"
	case *graphgen.LateError:
		return "late"
	case *chat.ModelError:
		if e.Kind == chat.Malformed {
			return "malformed"
		}
	case interface{ Fatal() bool }:
		return "fatal(" + err.Error() + ")"
	case scripted:
		return "error(" + string(e) + ")"
	}
	if err == errInterrupt {
		return "interrupted"
	}
	if graphgen.IsTransient(err) {
		return "transient(" + err.Error() + ")"
	}
	return fmt.Sprintf("%T(%v)", err, err)
}
