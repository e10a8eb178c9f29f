package harness

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
)

// replies holds the answers of a scenario to requests, in JSON, and how a run resumes with one.
type replies struct {
	resume func(ctx context.Context, p *graphgen.InterruptedError, id, answer string, opts []graphgen.Option) (any, error)
	given  []bool // by answer
}

// Answers sets how a run resumes with an answer in JSON.
func Answers[O any](s *Script, answer func(context.Context, *graphgen.InterruptedError, string, []byte, ...graphgen.Option) (O,
	error), stream func(context.Context, *graphgen.InterruptedError, string, []byte, ...graphgen.Option) graphgen.Events) {
	s.replies.resume = func(ctx context.Context, p *graphgen.InterruptedError, id, text string, opts []graphgen.Option) (any, error) {
		if s.mode == streamed {
			return collect[O](s, stream(ctx, p, id, []byte(text), opts...))
		}
		return answer(ctx, p, id, []byte(text), opts...)
	}
}

// replyTo resumes a run with the next answer of the scenario to one of its requests. ok is false if there is none.
func (s *Script) replyTo(ctx context.Context, p *graphgen.InterruptedError, watch []graphgen.Option) (out any, err error, ok bool) {
	if s.replies.given == nil {
		s.replies.given = make([]bool, len(s.scenario.Answers))
	}
	for i, a := range s.scenario.Answers {
		if s.replies.given[i] {
			continue
		}
		for _, q := range p.Requests {
			if a.To != q.ID && a.To != q.Node && (a.To != q.Tool || q.Tool == "") {
				continue
			}
			s.replies.given[i] = true
			wait := time.Duration(a.Takes)
			if a.Late {
				wait = max(wait, time.Until(q.Deadline)+1)
			}
			time.Sleep(wait)
			opts := append([]graphgen.Option{graphgen.AnsweredBy(a.By), graphgen.AnswerNote(a.Note)}, watch...)
			out, err = s.replies.resume(ctx, p, q.ID, a.JSON, opts)
			return out, err, true
		}
	}
	return nil, nil, false
}

// leftOver lists the lines of the answers for which there was no request.
func (s *Script) leftOver() (lines []int) {
	for i, a := range s.scenario.Answers {
		if len(s.replies.given) == 0 || !s.replies.given[i] {
			lines = append(lines, a.Line)
		}
	}
	return lines
}
