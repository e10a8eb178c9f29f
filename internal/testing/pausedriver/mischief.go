package pausedriver

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen"
)

// isRefused makes a call that has to be refused with an error, and to change nothing.
func (p *player) isRefused(what string, do Call, want error) {
	p.isRefusedIn(context.Background(), what, do, want)
}

func (p *player) isRefusedIn(ctx context.Context, what string, do Call, want error) {
	effects := p.session.count()
	var report graphgen.Report
	out, err := do(p.with(ctx, -1), graphgen.WithReport(&report))
	must(p.session.count() == effects, "%s runs nodes", what)
	must(report.Graph == "", "%s reports a run", what)
	must(refused(err), "%s is not refused: %v", what, err)
	must(out.Log == nil && out.Total == 0, "%s returns an output: %v", what, out)
	if want == nil {
		_, ok := errors.AsType[*graphgen.AnswerError](err)
		must(ok, "%s: %v", what, err)
	} else {
		must(errors.Is(err, want), "%s: %v", what, err)
	}
	p.count("refused")
}

// mischief tries an answer that has to be refused.
func (p *player) mischief(now *graphgen.InterruptedError) {
	q := p.pick(now)
	switch p.rand.IntN(9) {
	case 0:
		p.wrongType(q)
	case 1:
		p.wrongNode(q)
	case 2:
		p.isRefused("an answer to another machine", p.at(p.other(), q), graphgen.ErrOtherMachine)
	case 3:
		p.isRefused("an answer without a pause", p.calls.Answer(nil, q.ID, encoded(q, p.value(stepOf(q)))), graphgen.ErrNoPause)
	case 4:
		foreign := &graphgen.InterruptedError{Request: q.Request, Requests: []graphgen.Request{q.Request}}
		p.isRefused("an answer to a foreign pause", p.at(p.calls, &request{q.Request, foreign}), graphgen.ErrNoPause)
	case 5:
		p.endedContext(q)
	case 6:
		p.isRefused("an answer to an unknown request", p.calls.Answer(now, "unknown", encoded(q, p.value(stepOf(q)))), graphgen.ErrOtherNode)
	case 7:
		if typed := p.calls.Typed[path(q.Within, q.Node)]; typed != nil && q.ofNode() > 1 && q.Kind != graphgen.RequestInterrupt {
			p.isRefused("an answer to several requests", typed(now, Value{Decision: graphgen.Approve}), graphgen.ErrSeveral)
		}
	default:
		p.stale()
	}
}

// at returns the call of a machine's typed method, or of Continue.
func (p *player) at(calls Calls, q *request) Call {
	only := &graphgen.InterruptedError{Request: q.Request, Requests: []graphgen.Request{q.Request}, Origin: q.p.Origin}
	if q.Kind == graphgen.RequestInterrupt {
		return calls.GoOn(only)
	}
	if typed := calls.Typed[path(q.Within, q.Node)]; typed != nil {
		return typed(only, Value{Decision: graphgen.Approve})
	}
	return calls.Answer(only, q.ID, encoded(q, Value{}))
}

// wrongType gives a request answers that are not of its type. A late answer is not validated.
func (p *player) wrongType(q *request) {
	if p.nodes[path(q.Within, q.Node)].Late {
		return
	}
	for _, text := range []string{``, `{`, `[`, `7`, `null`, `"maybe"`, `"approve`, `"approve" "deny"`, `[true]`, `{"log": 5, "total": "x"}`, `{"other": 1}`} {
		p.isRefused("the answer "+text, p.calls.Answer(q.p, q.ID, []byte(text)), nil)
	}
	typed := p.calls.Typed[path(q.Within, q.Node)]
	if typed != nil && (q.Kind == graphgen.RequestDecision || q.Kind == graphgen.RequestToolApproval) {
		p.isRefused("a decision without a value", typed(q.p.For(q.ID), Value{}), nil)
	}
	if typed != nil && q.Kind == graphgen.RequestToolApproval {
		p.isRefused("arguments of a denial", typed(q.p.For(q.ID), Value{Decision: graphgen.Deny, N: 2}), nil)
		p.isRefused("arguments that do not fit", typed(q.p.For(q.ID), Value{Decision: graphgen.Approve, N: -1}), nil)
	}
}

// wrongNode gives a request an answer by the methods of all other nodes.
func (p *player) wrongNode(q *request) {
	only := q.p.For(q.ID)
	for name, do := range p.calls.Typed {
		if q.Kind == graphgen.RequestInterrupt || name != path(q.Within, q.Node) {
			p.isRefused("an answer by the method of "+name, do(only, Value{Decision: graphgen.Approve}), graphgen.ErrOtherNode)
		}
	}
	if p.calls.GoOn != nil && q.Kind != graphgen.RequestInterrupt {
		p.isRefused("Continue", p.calls.GoOn(only), graphgen.ErrOtherNode)
	}
	if other := p.pick(q.p); other.ID != q.ID {
		p.isRefused("an answer to a request that was not chosen", p.calls.Answer(only, other.ID, encoded(other, p.value(stepOf(other)))), graphgen.ErrOtherNode)
	}
}

// endedContext answers in a context that has ended.
func (p *player) endedContext(q *request) {
	cause := errors.New("it has ended")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	p.isRefusedIn(ctx, "an answer in a context that has ended", p.method(q), cause)
}

// stale answers requests that have their answers.
func (p *player) stale() {
	if len(p.answered) == 0 {
		return
	}
	q := p.answered[p.rand.IntN(len(p.answered))]
	p.isRefused("a second answer", p.method(q), graphgen.ErrResumed)
}
