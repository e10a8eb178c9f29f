package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/scenario/wire"
)

// humans holds how the human nodes of a scenario are answered.
type humans struct {
	// resume resumes a run with an answer, by the node that it waits at.
	resume map[string]resumption
}

// A resumption resumes a run with the answer of an entry.
type resumption func(context.Context, *graphgen.InterruptedError, *wire.Entry, []graphgen.Option) (any, error)

func (p *humans) add(node string, resume resumption) {
	if p.resume == nil {
		p.resume = make(map[string]resumption)
	}
	p.resume[node] = resume
}

// of returns how a request is answered, nil if the machine has no method for that.
func (p *humans) of(q *graphgen.Request) resumption {
	if resume := p.resume[wire.Join(q.Within, q.Node)]; resume != nil {
		return resume
	}
	return p.resume[q.Node] // of a graph that runs itself
}

// A resume is a method of a machine that resumes a run with an answer.
type resume[A, O any] = func(context.Context, *graphgen.InterruptedError, A, ...graphgen.Option) (O, error)

// A stream is a resume that returns the events.
type stream[A any] = func(context.Context, *graphgen.InterruptedError, A, ...graphgen.Option) graphgen.Events

// Decides sets how a run resumes with a person's decision.
func Decides[O any](s *Script, node string, resume resume[graphgen.Decision, O], stream stream[graphgen.Decision]) {
	s.humans.add(node, func(ctx context.Context, p *graphgen.InterruptedError, e *wire.Entry, opts []graphgen.Option) (any, error) {
		return resumeRun(ctx, s, p, map[string]graphgen.Decision{"yes": graphgen.Approve, "no": graphgen.Deny}[e.Approve], resume, stream, opts)
	})
}

// Replies sets how a run resumes with a person's answer.
func Replies[A, O any](s *Script, node string, resume resume[A, O], stream stream[A]) {
	s.humans.add(node, func(ctx context.Context, p *graphgen.InterruptedError, e *wire.Entry, opts []graphgen.Option) (any, error) {
		var answer A
		if err := s.known.decode(e.Out, &answer); err != nil {
			s.problem = err
		}
		return resumeRun(ctx, s, p, answer, resume, stream, opts)
	})
}

// resumeRun resumes a run, as a stream if the run was one.
func resumeRun[A, O any](ctx context.Context, s *Script, p *graphgen.InterruptedError, answer A, resume resume[A, O],
	stream stream[A], opts []graphgen.Option) (any, error) {
	if s.mode == streamed {
		return collect[O](s, stream(ctx, p, answer, opts...))
	}
	return resume(ctx, p, answer, opts...)
}

// collect observes the events of a stream, and returns its output.
func collect[O any](s *Script, events graphgen.Events) (out O, err error) {
	for e, problem := range events {
		if _, refused := errors.AsType[*graphgen.ResumeError](problem); !refused {
			s.observe(e)
		}
		err = problem
		if e.Kind == graphgen.RunEnd && e.Run.Within == "" {
			out, _ = graphgen.Output[O](e)
		}
	}
	return out, err
}

// paused returns the pause in which a run ended, or nil.
func paused(err error) *graphgen.InterruptedError {
	run, ok := errors.AsType[*graphgen.RunError](err)
	if !ok || run.Reason != graphgen.Paused {
		return nil
	}
	p, _ := errors.AsType[*graphgen.InterruptedError](run)
	return p
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
func resumeAnswered[O any](ctx context.Context, s *Script, out O, err error, watch []graphgen.Option) (O, error) {
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
			out, err = next[O](ctx, s, given, problem, watch)
			continue
		}
		if q == nil {
			return out, err
		}
		a := open[q.ID]
		resume := s.humans.of(q)
		if resume == nil {
			s.problem = fmt.Errorf("node %q asks a person, and the machine has no method for the answer", q.Node)
			return out, err
		}
		s.reply(q, a)
		if a.entry.Stop {
			s.stopper.Stop()
		}
		time.Sleep(time.Until(a.due))
		given, problem := resume(ctx, p.For(q.ID), a.entry, watch)
		if _, refused := errors.AsType[*graphgen.ResumeError](problem); refused {
			return out, problem
		}
		out, err = next[O](ctx, s, given, problem, watch)
	}
}

// nextRequest returns the request that is answered first, nil if the script has no answer. It adds
// those that are new to open.
func (s *Script) nextRequest(p *graphgen.InterruptedError, open map[string]*asked) (next *graphgen.Request) {
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
		wait = max(wait, time.Until(q.Deadline)+1)
	}
	return &asked{t.current, t.index, time.Now().Add(wait)}
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

// next returns what a run has given that was resumed. In a thread, other processes go on with it.
func next[O any](ctx context.Context, s *Script, given any, err error, watch []graphgen.Option) (O, error) {
	if s.mode == threaded {
		return inThread[O](ctx, s, given, err, watch)
	}
	return given.(O), err
}
