package scriptdriver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
)

// An Act is what a player does at a pause of a machine that is misused.
type Act struct {
	Wrong   []Try `json:"wrong,omitempty"`   // calls that have to be refused
	Right   []Try `json:"right"`             // concurrent calls that answer the next request: one is accepted
	Other   *Try  `json:"other,omitempty"`   // in mode Pairs: answers another request, concurrently with the first of them
	Cancel  int   `json:"cancel,omitempty"`  // in mode Cut: the execution at which the call is cancelled; -1: none is made, the run is abandoned
	Options int   `json:"options,omitempty"` // how many options the calls have that change nothing
}

// A Try is a call that answers a request.
type Try struct {
	What string   `json:"what,omitempty"` // what is wrong with it
	Want string   `json:"want,omitempty"` // its Refusal
	For  []string `json:"for,omitempty"`  // the kinds of requests for which it is; empty: all

	Nth      int    `json:"nth,omitempty"`      // of the open requests, counted from the next one
	Answered bool   `json:"answered,omitempty"` // counted among those that have answers
	By       string `json:"by,omitempty"`       // a kind of answer: see the constants
	At       string `json:"at,omitempty"`       // another pause than the present one: see the constants
	ID       string `json:"id,omitempty"`       // another ID

	Text  *string `json:"text,omitempty"`  // another answer in JSON
	Entry *Entry  `json:"entry,omitempty"` // another answer
	Alien bool    `json:"alien,omitempty"` // it is given to another machine
	Ended bool    `json:"ended,omitempty"` // the context has ended
}

// The answers of a Try, and its pauses.
const (
	ByEvents = "events" // in JSON, with a stream; the default is JSON without one
	ByType   = "typed"
	ByOthers = "others" // each typed answer that is for other requests
	ByZero   = "zero"   // the zero Answer

	AtFirst   = "first"   // the first that has the request
	AtOnly    = "only"    // the present one, of the request alone
	AtNext    = "next"    // the present one, of the next request alone
	AtNone    = "none"    // nil
	AtNoRun   = "no run"  // one that no run has made
	AtSeveral = "several" // the present one, if the typed answer fits other requests of it
)

// Invalid is the refusal of an answer that is not valid for its request.
const Invalid = "invalid"

// Refusal is why a call was refused: the text of the error, or Invalid; empty: it was not.
func Refusal(err error) string {
	e, refused := err.(*graphgen.ResumeError)
	if !refused {
		return ""
	}
	if _, invalid := e.Err.(*graphgen.AnswerError); invalid {
		return Invalid
	}
	return e.Err.Error()
}

var resumed = graphgen.ErrResumed.Error()

// Methods resume the runs of a machine, with answers to the request of an ID; empty: to the one that they fit. Typed has the typed answers: those
// that continue under no name, and the others by what they answer.
type Methods struct {
	JSON, Events func(at *graphgen.Pause, id string, answer []byte) Call
	Typed        map[string]func(at *graphgen.Pause, id string, e Entry) Call
	Zero         func(at *graphgen.Pause, id string) Call
}

// MethodsOf returns the methods of a machine M. resume and events make calls of its method Resume, and typed has the functions that make its answers.
func MethodsOf[M any](resume, events func(*graphgen.Pause, graphgen.Answer[M]) Call, typed map[string]func(Entry) graphgen.Answer[M]) *Methods {
	inJSON := func(by func(*graphgen.Pause, graphgen.Answer[M]) Call) func(*graphgen.Pause, string, []byte) Call {
		return func(at *graphgen.Pause, id string, answer []byte) Call {
			return by(at, graphgen.AnswerJSON[M](id, answer))
		}
	}
	m := &Methods{JSON: inJSON(resume), Events: inJSON(events), Typed: map[string]func(*graphgen.Pause, string, Entry) Call{}}
	for name, answer := range typed {
		m.Typed[name] = func(at *graphgen.Pause, id string, e Entry) Call { return resume(at, answer(e).For(id)) }
	}
	m.Zero = func(at *graphgen.Pause, id string) Call { return resume(at, graphgen.Answer[M]{}.For(id)) }
	return m
}

// people is what a player has done at the pauses of a run.
type people struct {
	own, alien *Methods
	ended      *Ended // the last call
	pauses     []*graphgen.Pause
	answered   []request
	call       int // its number
	act        *Act
	keys       map[string]string // by idempotency key, the step that has it
	sights     map[string]int
}

// A request is one of a run, with a pause that has it.
type request struct {
	graphgen.Request
	at *graphgen.Pause
}

// method is the name of the typed answer to the request.
func (q request) method() string {
	switch {
	case q.Kind == graphgen.RequestInterrupt:
		return ""
	case q.Tool != "":
		return q.Within + ":" + q.Tool
	}
	return strings.TrimPrefix(q.Within+"/"+q.Node, "/")
}

// alone reports whether the pause has no other request that the typed answer fits.
func (q request) alone() bool {
	return !slices.ContainsFunc(q.at.Requests, func(o graphgen.Request) bool { return o.ID != q.ID && request{o, q.at}.method() == q.method() })
}

// among reports whether requests have one.
func (q request) among(list []request) bool {
	return slices.ContainsFunc(list, func(o request) bool { return o.ID == q.ID })
}

func (p *Player) wrong(format string, args ...any) {
	p.differ = append(p.differ, fmt.Sprintf(format, args...))
}

// executes checks the context of an execution in a misused machine: it is of the current call, and its key is of no other step.
func (p *Player) executes(ctx context.Context, name, key string) {
	if !p.mode.Misused || ctx == nil {
		return
	}
	if call := ctx.Value(callKey{}); call != p.call {
		p.wrong("%s has the context of call %v in call %d", key, call, p.call)
	}
	i := graphgen.Info(ctx)
	if p.machine.Again && i.Within != "" {
		return
	}
	step := fmt.Sprint(i.Within, i.Branch, i.Node, i.Visit, i.Step)
	idempotency := graphgen.IdempotencyKey(ctx)
	if by := cmp.Or(p.keys[idempotency], step); by != step {
		p.wrong("the steps %q and %q have the key %s", by, step, idempotency)
	}
	p.keys[idempotency] = step
	idempotency = fmt.Sprintf("%s attempt %d of %s", idempotency, i.Attempt, key)
	if p.keys[idempotency] != "" && !p.models[name] {
		p.wrong("two executions have the key %s", idempotency)
	}
	p.keys[idempotency] = step
}

// has reports whether a pause has a request.
func has(at *graphgen.Pause, id string) bool {
	return slices.ContainsFunc(at.Requests, func(q graphgen.Request) bool { return q.ID == id })
}

// only returns a pause with one of its requests alone.
func only(at *graphgen.Pause, id string) *graphgen.Pause {
	return &graphgen.Pause{Origin: at.Origin, Requests: slices.DeleteFunc(slices.Clone(at.Requests), func(q graphgen.Request) bool { return q.ID != id })}
}

// checks checks a pause: what the model of a run does not have of it.
func (p *Player) checks(at *graphgen.Pause) {
	p.quiet()
	var before []request
	for _, q := range at.Requests {
		if q := (request{q, at}); q.among(before) || q.among(p.answered) {
			p.wrong("%s is twice in a pause, or has an answer", q.ID)
		}
		before = append(before, request{q, at})
	}
}

// misused plays an act at a pause.
func (p *Player) misused(next request) *Ended {
	for _, try := range p.act.Wrong {
		p.refused(next, try)
	}
	list, calls := []request{next}, []Call{p.answer(next, p.act.Right[0])}
	if o := p.act.Other; p.mode.Pairs && o != nil && len(next.at.Requests) > 1 {
		list = append(list, p.another(next, Try{Nth: 1 + o.Nth%(len(next.at.Requests)-1)}))
		calls = append(calls, p.answer(list[1], *o))
	} else {
		for _, try := range p.act.Right[1:] {
			calls = append(calls, p.answer(next, try))
		}
	}
	p.takesTime(list...)
	ends := p.make(calls...)
	if len(list) > 1 {
		return p.inOrder(list, ends)
	}
	if p.mode.Pairs {
		p.got.Answered = append(p.got.Answered, next.ID)
	}
	p.answered = append(p.answered, next)
	slices.SortStableFunc(ends, func(a, b *Ended) int { return cmp.Compare(Refusal(a.Err), Refusal(b.Err)) })
	for i, e := range ends {
		if how := Refusal(e.Err); how != map[bool]string{true: resumed}[i > 0] {
			p.wrong("of %d answers to %s, one is refused as %q", len(ends), next.ID, how)
		}
	}
	p.sights[fmt.Sprintf("%d concurrent answers to a request", len(ends))]++
	return ends[0]
}

// inOrder finds out which of two requests was answered first. The other is answered next, unless the first withdraws it.
func (p *Player) inOrder(list []request, ends []*Ended) *Ended {
	if Refusal(ends[0].Err) != "" || ends[1].waitsFor(list[0].ID) {
		slices.Reverse(list)
		slices.Reverse(ends)
	}
	how, last := "then", ends[1]
	switch refusal, open := Refusal(last.Err), ends[0].waitsFor(list[1].ID); {
	case open && refusal == "":
		p.paused(ends[0])
		p.answered = append(p.answered, list[1])
	case !open && refusal == resumed:
		how, last = "not", ends[0]
	default:
		p.wrong("of the answers to %s and %s, the calls end with %v and %v", list[0].ID, list[1].ID, ends[0].Err, last.Err)
	}
	p.answered = append(p.answered, list[0])
	p.sights["two requests are answered, one "+how+" the other"]++
	p.got.Answered = append(p.got.Answered, list[0].ID+" "+how+" "+list[1].ID)
	return last
}

// another returns the request that a try is about, at the pause at which the next one is known.
func (p *Player) another(next request, try Try) request {
	list := next.at.Requests
	at := slices.IndexFunc(list, func(q graphgen.Request) bool { return q.ID == next.ID })
	return request{list[(at+try.Nth)%len(list)], next.at}
}

// answer returns the call of a try about a request.
func (p *Player) answer(q request, try Try) Call {
	of, at, e, id := p.own, q.at, AnswerTo(p.script, q.Request), ""
	if try.Alien {
		of = p.alien
	}
	switch {
	case try.At == AtFirst:
		at = p.pauses[slices.IndexFunc(p.pauses, func(at *graphgen.Pause) bool { return has(at, q.ID) })]
	case try.At == AtNone:
		at = nil
	case try.At == AtNoRun:
		at = &graphgen.Pause{Requests: []graphgen.Request{q.Request}}
	case try.At == AtOnly:
		at = only(at, q.ID)
	}
	if try.By != ByType || try.At != AtSeveral && try.At != AtOnly && !(at == q.at && q.alone()) {
		id = cmp.Or(try.ID, q.ID) // the answer may fit other requests of the pause
	}
	if try.Entry != nil {
		e = *try.Entry
	}
	text := e.JSON(q.Request)
	if try.Text != nil {
		text = *try.Text
	}
	p.sights["an answer by "+cmp.Or(try.By, "JSON")+map[bool]string{true: ", about a call in another graph"}[q.Tool != "" && q.Within != ""]]++
	switch try.By {
	case ByType:
		return of.Typed[q.method()](at, id, e)
	case ByEvents:
		return of.Events(at, id, []byte(text))
	case ByZero:
		return of.Zero(at, id)
	}
	return of.JSON(at, id, []byte(text))
}

// refused makes a call that has to be refused, and to change nothing.
func (p *Player) refused(next request, try Try) {
	q := p.another(next, try)
	if try.Answered {
		if len(p.answered) == 0 {
			return
		}
		q = p.answered[try.Nth%len(p.answered)]
	}
	late := !q.Deadline.IsZero() && time.Now().After(q.Deadline) // then an answer is not validated
	switch {
	case late && try.Want == Invalid, len(try.For) > 0 && !slices.Contains(try.For, string(q.Kind)), try.At == AtSeveral && q.alone(),
		try.At == AtNext && q.ID == next.ID:
		return
	case try.At == AtNext:
		q.at = only(next.at, next.ID)
	}
	calls := []Call{p.answer(q, try)}
	if try.By == ByOthers {
		calls = nil
		for name, do := range p.own.Typed {
			if name != q.method() {
				calls = append(calls, do(q.at, q.ID, Entry{}))
			}
		}
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(p.ctx, callKey{}, -1))
	if try.Ended {
		cancel(errInterrupt)
	}
	defer cancel(nil)
	for _, do := range calls {
		p.sights[try.What]++
		before := p.calls + len(p.got.Tools)
		e := p.makeOne(ctx, do, nil)
		if how := Refusal(e.Err); how != try.Want || p.calls+len(p.got.Tools) != before || e.report.Graph != "" || !e.Empty {
			p.wrong("%s, about %s: refused as %q (%v) after %d calls, with %+v", try.What, q.ID, how, e.Err, p.calls+len(p.got.Tools)-before, e)
		}
	}
}

// ends checks a machine that was misused at the end of a run: no request is open.
func (p *Player) ends() {
	p.quiet()
	if p.ended.pause() != nil {
		p.sights["a run is abandoned"]++
		return
	}
	withdrawn := map[bool]string{true: "an answer to a request that has one, after the end", false: "an answer to a request that is withdrawn"}
	all := p.answered
	for _, at := range p.pauses[max(0, len(p.pauses)-1):] {
		for _, q := range at.Requests {
			all = append(all, request{q, at})
		}
	}
	for i, q := range all {
		p.refused(q, Try{What: withdrawn[q.among(p.answered)], Want: resumed, By: []string{ByType, ByEvents, ""}[i%3]})
	}
}
