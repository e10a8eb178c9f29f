package pausedriver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/graphgen/graphgen"
)

// answer returns the call that gives a request the answer that the twin has beforehand. The call notes it first,
// as the steps behind it may end those of other branches.
func (p *player) answer(q *request) Call {
	do := p.method(q)
	if q.Kind == graphgen.RequestInterrupt {
		return do
	}
	at, n := stepOf(q), p.nodes[path(q.Within, q.Node)]
	return func(ctx context.Context, opts ...graphgen.Option) (Output, error) {
		if n.ends() && p.fails(at, n) {
			p.mu.Lock()
			p.session.failed = true
			p.mu.Unlock()
		}
		out, err := do(ctx, opts...)
		if !refused(err) {
			p.note(at, "", n)
		}
		return out, err
	}
}

// method returns the call that gives a request its answer, typed or in JSON.
func (p *player) method(q *request) Call {
	byJSON := p.rand.IntN(2) == 0
	if q.Kind == graphgen.RequestInterrupt {
		if p.count("interrupts"); byJSON {
			return p.calls.Answer(q.p, q.ID, encoded(q, Value{}))
		}
		return p.calls.GoOn(q.p.For(q.ID))
	}
	at := stepOf(q)
	n, v := p.nodes[at.path], p.value(at)
	v.Decision = graphgen.Approve
	if p.fails(at, n) {
		v.Decision = graphgen.Deny
		p.count("denials")
	}
	if n.Calls {
		p.count("decisions about calls")
		if v.Decision == graphgen.Approve {
			v.N = p.number(at)
		}
	}
	if byJSON && p.rand.IntN(2) == 0 {
		p.count("streams")
		return p.calls.Stream(q.p, q.ID, encoded(q, v))
	}
	if byJSON {
		return p.calls.Answer(q.p, q.ID, encoded(q, v))
	}
	typed := p.calls.Typed[at.path]
	if n.Tool {
		p.count("results of tools")
	}
	if q.Within != "" && (n.Tool || n.Calls) {
		p.count("typed answers about calls of other graphs")
	}
	must(typed != nil, "no method for %s", at.path)
	if q.ofNode() == 1 && p.rand.IntN(2) == 0 {
		return typed(q.p, v)
	}
	return typed(q.p.For(q.ID), v)
}

// ofNode counts the requests of the pause that are of the same node, whether they are still open or not.
func (q *request) ofNode() (n int) {
	for _, o := range q.p.Requests {
		if o.Kind == q.Kind && path(o.Within, o.Node) == path(q.Within, q.Node) {
			n++
		}
	}
	return n
}

// encoded returns an answer in JSON.
func encoded(q *request, v Value) []byte {
	switch {
	case q.Kind == graphgen.RequestInterrupt:
		return []byte(`"continue"`)
	case q.Kind == graphgen.RequestToolApproval && v.N > 0:
		return fmt.Appendf(nil, `{"decision":%q,"arguments":{"n":%d}}`, v.Decision, v.N)
	case q.Kind == graphgen.RequestDecision || q.Kind == graphgen.RequestToolApproval:
		return fmt.Appendf(nil, "%q", v.Decision)
	}
	m := map[string]any{}
	if strings.Contains(q.Schema, `"log"`) {
		m["log"] = v.Log
	}
	if strings.Contains(q.Schema, `"total"`) {
		m["total"] = v.Total
	}
	var answer any = m
	if q.Kind == graphgen.RequestClientTool {
		if answer = map[string]any{"result": m}; v.Error() != "" {
			answer = map[string]any{"error": v.Error()}
		}
	}
	text, err := json.Marshal(answer)
	must(err == nil, "%v", err)
	return text
}

// refused reports whether a call was refused.
func refused(err error) bool {
	_, ok := err.(*graphgen.ResumeError)
	return ok
}

// twice gives a request its answer from several goroutines. All but one are refused.
func (p *player) twice(q *request) *ended {
	p.takesTime(q)
	results := p.atOnce(q, q, q)
	var next *ended
	for _, e := range results {
		if refused(e.err) {
			must(errors.Is(e.err, graphgen.ErrResumed), "a second answer to %s: %v", q.ID, e.err)
			p.count("refused")
			continue
		}
		must(next == nil, "the request %s accepts two answers", q.ID)
		next = e
	}
	must(next != nil, "the request %s accepts no answer", q.ID)
	p.done(q)
	p.count("answers")
	p.count("answers given thrice at once")
	return next
}

// atOnce gives answers at once, each from a goroutine of its own.
func (p *player) atOnce(list ...*request) []*ended {
	results := make([]*ended, len(list))
	p.session.call++
	ctx, cancel := context.WithCancel(p.with(context.Background(), p.session.call))
	defer cancel()
	var wg sync.WaitGroup
	for i, q := range list {
		e := &ended{session: p.session}
		results[i] = e
		do, opts := p.answer(q), p.options(e)
		wg.Go(func() { e.out, e.err = do(ctx, opts...) })
	}
	wg.Wait()
	return results
}

// both gives two requests their answers at once. Both are accepted, one after the other, unless the first
// withdraws the second.
func (p *player) both(before *ended, a, b *request) *ended {
	p.takesTime(a)
	p.takesTime(b)
	p.count("pairs of answers at once")
	results := p.atOnce(a, b)
	var next *ended
	for i, q := range []*request{a, b} {
		e, other := results[i], results[1-i]
		if refused(e.err) {
			must(errors.Is(e.err, graphgen.ErrResumed) && (p.session.failed || p.loses[q.ID]), "the answer to %s, with another to %s: %v",
				q.ID, other.err, e.err)
			now := other.pause()
			must(!refused(other.err) && (now == nil || now.For(q.ID) == nil), "the answers to %s and %s are refused: %v, %v", a.ID, b.ID, e.err, other.err)
			p.count("refused")
			continue
		}
		p.done(q)
		p.count("answers")
		if now := e.pause(); now == nil || now.For(a.ID) == nil && now.For(b.ID) == nil {
			must(next == nil || refused(other.err), "both answers, to %s and %s, end the last pause: %v, %v", a.ID, b.ID, e.err, other.err)
			next = e
		}
	}
	must(next != nil, "no answer, to %s or to %s, is the last: %v, %v", a.ID, b.ID, results[0].err, results[1].err)
	return next
}
