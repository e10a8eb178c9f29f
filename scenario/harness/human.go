package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/scenario/wire"
)

// humans holds how the human nodes of a scenario are answered.
type humans struct {
	// resume resumes a run with an answer, by the node that it waits at.
	resume map[string]resumption
}

// A resumption resumes a run with the answer of an entry.
type resumption func(context.Context, *graphrt.InterruptedError, *wire.Entry, []graphrt.Option) (any, error)

func (p *humans) add(node string, resume resumption) {
	if p.resume == nil {
		p.resume = make(map[string]resumption)
	}
	p.resume[node] = resume
}

// A resume is a method of a machine that resumes a run with an answer.
type resume[A, O any] = func(context.Context, *graphrt.InterruptedError, A, ...graphrt.Option) (O, error)

// A stream is a resume that returns the events.
type stream[A any] = func(context.Context, *graphrt.InterruptedError, A, ...graphrt.Option) graphrt.Events

// Decides sets how a run resumes with a person's decision.
func Decides[O any](s *Script, node string, resume resume[graphrt.Decision, O], stream stream[graphrt.Decision]) {
	s.humans.add(node, func(ctx context.Context, p *graphrt.InterruptedError, e *wire.Entry, opts []graphrt.Option) (any, error) {
		return resumeRun(ctx, s, p, map[string]graphrt.Decision{"yes": graphrt.Approve, "no": graphrt.Deny}[e.Approve], resume, stream, opts)
	})
}

// Replies sets how a run resumes with a person's answer.
func Replies[A, O any](s *Script, node string, resume resume[A, O], stream stream[A]) {
	s.humans.add(node, func(ctx context.Context, p *graphrt.InterruptedError, e *wire.Entry, opts []graphrt.Option) (any, error) {
		var answer A
		if err := s.known.decode(e.Out, &answer); err != nil {
			s.problem = err
		}
		return resumeRun(ctx, s, p, answer, resume, stream, opts)
	})
}

// resumeRun resumes a run, as a stream if the run was one.
func resumeRun[A, O any](ctx context.Context, s *Script, p *graphrt.InterruptedError, answer A, resume resume[A, O], stream stream[A], opts []graphrt.Option) (any, error) {
	if s.mode == streamed {
		return collect[O](s, stream(ctx, p, answer, opts...))
	}
	return resume(ctx, p, answer, opts...)
}

// collect observes the events of a stream, and returns its output.
func collect[O any](s *Script, events graphrt.Events) (out O, err error) {
	for e, problem := range events {
		if _, refused := errors.AsType[*graphrt.ResumeError](problem); !refused {
			s.observe(e)
		}
		err = problem
		if e.Kind == graphrt.RunEnd && e.Run.Within == "" {
			out, _ = graphrt.Output[O](e)
		}
	}
	return out, err
}

// paused returns the pause in which a run ended, or nil.
func paused(err error) *graphrt.InterruptedError {
	run, ok := errors.AsType[*graphrt.RunError](err)
	if !ok || run.Reason != graphrt.Paused {
		return nil
	}
	p, _ := errors.AsType[*graphrt.InterruptedError](run)
	return p
}

// resumeAnswered resumes a run as long as it pauses and the script has an answer. It returns the
// last result of the run.
func resumeAnswered[O any](ctx context.Context, s *Script, out O, err error, watch []graphrt.Option) (O, error) {
	for {
		p := paused(err)
		if p == nil {
			return out, err
		}
		if given, problem, ok := s.replyTo(ctx, p, watch); ok {
			if _, refused := errors.AsType[*graphrt.ResumeError](problem); refused {
				return out, problem
			}
			out, err = given.(O), problem
			continue
		}
		s.result.Question = p.Question
		if s.humans.resume[p.Node] == nil || p.Kind == graphrt.RequestInterrupt {
			return out, err
		}
		e := s.nextAnswer(p)
		resume := s.humans.resume[p.Node]
		switch {
		case e.Out == nil && e.Approve == "" && !e.Late:
			return out, err
		case resume == nil:
			s.problem = fmt.Errorf("node %q asks a person, and the machine has no method for the answer", p.Node)
			return out, err
		}
		s.waitForAnswer(p, e)
		given, problem := resume(ctx, p, e, watch)
		if _, refused := errors.AsType[*graphrt.ResumeError](problem); refused {
			return out, problem
		}
		out, err = given.(O), problem
	}
}

// nextAnswer takes the entry of a person's next answer, which may be empty.
func (s *Script) nextAnswer(p *graphrt.InterruptedError) *wire.Entry {
	at := place{node: p.Node}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.begin(p.Node, at)
	if e := t.current; s.scenario.Executions && (e.Out != nil || e.Approve != "" || e.Late) {
		s.executions = append(s.executions, placed[wire.Execution]{
			wire.Execution{Node: p.Node, Entry: t.index, Step: p.Step, Visit: p.Visit, Attempt: 1}, s.key(at),
		})
	}
	return t.current
}

// waitForAnswer waits for the time that a person takes to answer.
func (s *Script) waitForAnswer(p *graphrt.InterruptedError, e *wire.Entry) {
	if e.Stop {
		s.stopper.Stop()
	}
	wait := time.Duration(e.Takes)
	if e.Late {
		wait = max(wait, time.Until(p.Deadline)+1)
	}
	time.Sleep(wait)
}
