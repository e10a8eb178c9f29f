package harness

import (
	"context"
	"time"

	"github.com/graphgen/graphgen"
)

// replyTo resumes a run with the next answer of the scenario to one of its requests. ok is false without such an answer.
func (s *Script) replyTo(ctx context.Context, p *graphgen.Pause, watch []graphgen.CallOption) (out any, err error, ok bool) {
	if s.given == nil {
		s.given = make([]bool, len(s.scenario.Answers))
	}
	for i, a := range s.scenario.Answers {
		if s.given[i] {
			continue
		}
		for _, q := range p.Requests {
			if a.To != q.ID && a.To != q.Node && (a.To != q.Tool || q.Tool == "") {
				continue
			}
			s.given[i] = true
			wait := time.Duration(a.Takes)
			if a.Late {
				wait = max(wait, q.Deadline.Sub(s.runTime())+1)
			}
			if err := s.awaitPerson(ctx, &q, s.runTime().Add(wait)); err != nil {
				return nil, err, true
			}
			r := s.humans.json(q.ID, a.JSON)
			r.by, r.note = a.By, a.Note
			out, err = s.humans.resume(ctx, p, r, resuming(watch))
			return out, err, true
		}
	}
	return nil, nil, false
}

// leftOver lists the lines of the answers for which there was no request.
func (s *Script) leftOver() (lines []int) {
	for i, a := range s.scenario.Answers {
		if len(s.given) == 0 || !s.given[i] {
			lines = append(lines, a.Line)
		}
	}
	return lines
}
