package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/scenario/wire"
)

// humans holds how the people of a scenario answer.
type humans struct {
	answers map[string]answering // by the node that asks
	json    func(id, data string) reply
	resume  func(ctx context.Context, p *graphgen.Pause, r reply, opts []graphgen.ResumeOption) (any, error)
}

// An answering makes the answer of an entry to the request with an ID.
type answering func(e *wire.Entry, id string) (reply, error)

// A reply is an answer to a request.
type reply struct {
	request  string
	json     any  // of which encoding/json makes what graphgen.AnswerJSON takes
	typed    any  // a graphgen.Answer
	nested   bool // a graph asks that a node runs
	by, note string
}

func (p *humans) add(node string, make answering) {
	if p.answers == nil {
		p.answers = map[string]answering{}
	}
	p.answers[node] = make
}

// of returns how a request is answered, nil if the machine has no function for that.
func (p *humans) of(q *graphgen.Request) answering {
	if make := p.answers[wire.Join(q.Within, q.Node)]; make != nil {
		return make
	}
	return p.answers[q.Node] // of a graph that runs itself
}

// Resumes sets the method of a machine that resumes runs.
func Resumes[M, O any](s *Script, resume func(context.Context, *graphgen.Pause, graphgen.Answer[M], ...graphgen.ResumeOption) (O, error)) {
	s.humans.json = func(id, data string) reply {
		return reply{request: id, json: json.RawMessage(data), typed: graphgen.AnswerJSON[M](id, []byte(data))}
	}
	s.humans.resume = func(ctx context.Context, p *graphgen.Pause, r reply, opts []graphgen.ResumeOption) (any, error) {
		a := r.typed.(graphgen.Answer[M])
		opts = append([]graphgen.ResumeOption{graphgen.AnsweredBy(r.by), graphgen.AnswerNote(r.note)}, opts...)
		switch s.mode {
		case queued:
			return byQueue[O](s, func() error { return s.queue.Answer(ctx, s.queuedThread(), r.request, r.json, r.by, r.note) })
		case streamed:
		case onEngine:
			if r.nested { // its run may be elsewhere
				data, err := json.Marshal(r.json)
				if err != nil {
					return nil, err
				}
				a = graphgen.AnswerJSON[M](r.request, data)
			}
			return resume(ctx, p, a, opts...)
		default:
			return resume(ctx, p, a, opts...)
		}
		return collect(s, graphgen.NewStream(ctx, func(ctx context.Context, events graphgen.Option) (O, error) {
			return resume(ctx, p, a, append([]graphgen.ResumeOption{events}, opts...)...)
		}))
	}
}

// Decides sets how a node is answered with a person's decision.
func Decides[M any](s *Script, node string, answer func(graphgen.Decision) graphgen.Answer[M]) {
	s.humans.add(node, func(e *wire.Entry, id string) (reply, error) {
		d := map[string]graphgen.Decision{"yes": graphgen.Approve, "no": graphgen.Deny}[e.Approve]
		return reply{request: id, json: d.String(), typed: answer(d).For(id)}, nil
	})
}

// Replies sets how a node is answered with a person's reply.
func Replies[M, A any](s *Script, node string, answer func(A) graphgen.Answer[M]) {
	s.humans.add(node, func(e *wire.Entry, id string) (reply, error) {
		var a A
		err := s.known.decode(e.Out, &a)
		return reply{request: id, json: a, typed: answer(a).For(id)}, err
	})
}

// collect observes the events of a stream, and returns its output.
func collect[O any](s *Script, stream *graphgen.Stream[O]) (O, error) {
	for e := range stream.Events() {
		s.observe(e)
	}
	return stream.Output()
}

// paused returns the pause in which a run ended, or nil.
func paused(err error) *graphgen.Pause {
	run, ok := errors.AsType[*graphgen.RunError](err)
	if !ok || run.Reason != graphgen.Paused {
		return nil
	}
	return graphgen.AsPause(run)
}

// An asked is a request that a run waits for, and what the script answers.
type asked struct {
	entry *wire.Entry
	index int       // of the entry
	due   time.Time // when the person answers
}

// answers reports whether the entry has an answer.
func (a *asked) answers() bool { return a.entry.Out != nil || a.entry.Approve != "" || a.entry.Late }

// resumeAnswered resumes a run as long as it pauses and the script has an answer. It returns the
// last result of the run.
func resumeAnswered[O any](ctx context.Context, s *Script, out O, err error, watch []graphgen.CallOption) (O, error) {
	open := make(map[string]*asked)
	for {
		p := paused(err)
		if p == nil {
			s.result.Requests = nil
			return out, err
		}
		q := s.nextRequest(p, open)
		if given, problem, ok := s.replyTo(ctx, p, watch); ok {
			if _, refused := errors.AsType[*graphgen.ResumeError](problem); refused {
				return out, problem
			}
			if problem == errTime {
				s.problem = problem
				return out, err
			}
			out, err = next[O](ctx, s, given, problem, watch)
			continue
		}
		if q == nil {
			return out, err
		}
		a := open[q.ID]
		make := s.humans.of(q)
		if make == nil {
			s.problem = fmt.Errorf("node %q asks a person, and the machine has no function for the answer", q.Node)
			return out, err
		}
		s.reply(q, a)
		if a.entry.Stop {
			s.stopper.Stop()
		}
		if late := s.awaitPerson(ctx, q, a.due); late != nil {
			s.problem = late
			return out, err
		}
		answer, problem := make(a.entry, q.ID)
		if problem != nil {
			s.problem = problem
		}
		answer.nested = q.Within != ""
		given, problem := s.humans.resume(ctx, p, answer, resuming(watch))
		if _, refused := errors.AsType[*graphgen.ResumeError](problem); refused {
			return out, problem
		}
		out, err = next[O](ctx, s, given, problem, watch)
	}
}

// nextRequest returns the request that is answered first, nil if the script has no answer. It adds
// those that are new to open.
func (s *Script) nextRequest(p *graphgen.Pause, open map[string]*asked) (next *graphgen.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	questions := make([]string, len(p.Requests))
	s.result.Requests = nil
	for i := range p.Requests {
		q := &p.Requests[i]
		questions[i] = q.Question
		s.result.Requests = append(s.result.Requests, q.ID)
		if s.humans.of(q) == nil || q.Kind == graphgen.RequestInterrupt {
			continue // answered in JSON alone
		}
		if open[q.ID] == nil {
			open[q.ID] = s.request(q)
		}
		if a := open[q.ID]; a.answers() && (next == nil || a.due.Before(open[next.ID].due)) {
			next = q
		}
	}
	s.result.Question = strings.Join(questions, "\n")
	return next
}

// request takes the entry of the answer to a request, which may be empty.
func (s *Script) request(q *graphgen.Request) *asked {
	at := place{node: wire.Join(q.Within, q.Node), branch: q.Branch}
	t := s.begin(at.node, at)
	wait := time.Duration(t.current.Takes)
	if t.current.Late {
		wait = max(wait, q.Deadline.Sub(s.runTime())+1)
	}
	return &asked{t.current, t.index, s.runTime().Add(wait)}
}

// reply records that a person answers.
func (s *Script) reply(q *graphgen.Request, a *asked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.scenario.Executions {
		return
	}
	at := place{node: wire.Join(q.Within, q.Node), branch: q.Branch}
	s.executions = append(s.executions, placed[wire.Execution]{
		wire.Execution{Node: at.node, Branch: at.branch, Entry: a.index, Step: q.Step, Visit: q.Visit, Attempt: 1}, s.key(at),
	})
}

// next returns what a run has given that was resumed. In a thread, other processes resume it.
func next[O any](ctx context.Context, s *Script, given any, err error, watch []graphgen.CallOption) (O, error) {
	switch s.mode {
	case threaded:
		return inThread[O](ctx, s, given, err, watch)
	case relayed:
		return overRelays[O](s, given, err)
	}
	return given.(O), err
}

// resuming returns options for a call that resumes a run.
func resuming(list []graphgen.CallOption) (options []graphgen.ResumeOption) {
	for _, o := range list {
		options = append(options, o)
	}
	return options
}
