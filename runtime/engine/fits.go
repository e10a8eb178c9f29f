package engine

import (
	"context"

	"github.com/graphgen/graphgen"
)

// Fits returns the error with which the first of several answers to a paused run would be refused, nil if each is of an open request and valid for it. It
// answers nothing. A late answer is valid, whatever it is.
func Fits[M any](ctx context.Context, p *graphgen.Pause, machine *M, answers []graphgen.Answer[M]) error {
	h := heldBy(p)
	if h != nil && h.reopen != nil && h.pause.machine == any(machine) {
		again, err := h.reopened(ctx, p, nil)
		if err != nil {
			return err
		}
		defer again.Release()
		p = again.Pause
	}
	for _, of := range answers {
		a := answerOf(of.ID, of.Origin)
		q, err := requestOf(p, machine, a)
		if err != nil {
			return err
		}
		if late := !q.Deadline.IsZero() && q.pause.asked.Now().After(q.Deadline); late {
			continue
		}
		if _, err := a.decode(q); err != nil {
			return &graphgen.ResumeError{Where: q.Where, Err: &graphgen.AnswerError{Err: err}}
		}
	}
	return nil
}
