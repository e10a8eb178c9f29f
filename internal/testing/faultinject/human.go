package faultinject

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
)

// A Resume answers the question of one node, somehow.
type Resume func(context.Context, *Player, *graphgen.InterruptedError) error

// People answers the requests of a run, in any order. Answers may be late, repeated, concurrent, for
// another node, or missing. nodes has the methods by node, with those around it that run other graphs, and those of
// tools by "tool" and the name; anything answers any request in JSON. It returns the error with which the run ends.
func (p *Player) People(ctx context.Context, err error, nodes map[string]Resume, anything Resume) error {
	for tries := 0; tries < 8; tries++ {
		at := pauseOf(err)
		if at == nil || p.IntN(10) == 0 {
			return err
		}
		p.count()
		at = at.For(at.Requests[p.IntN(len(at.Requests))].ID)
		resume := methodFor(at, nodes)
		if resume == nil || p.IntN(4) == 0 {
			resume = anything
		}
		p.bother(ctx, at, resume, nodes)
		if late := time.Until(at.Deadline); late > 0 && p.IntN(4) == 0 {
			<-time.After(late + time.Duration(p.IntN(2)))
		}
		if answered := p.answerOnce(ctx, at, resume); refused(answered) == nil {
			err, tries = answered, 0
			if again := resume(ctx, p, at); refused(again) == nil {
				p.wrong("a pause was resumed twice: %v", again)
			}
		} else if ctx.Err() != nil { // or the answer was none
			return err
		}
	}
	return err
}

// methodFor returns the method that answers a request, nil if there is none.
func methodFor(at *graphgen.InterruptedError, nodes map[string]Resume) Resume {
	switch {
	case at.Kind == graphgen.RequestInterrupt, at.Tool != "" && at.Within != "":
		return nil
	case at.Tool != "":
		return nodes["tool "+at.Tool]
	}
	return nodes[strings.TrimPrefix(at.Within+"/"+at.Node, "/")]
}

// JSON returns an answer to a request in JSON, mostly a valid one.
func (p *Player) JSON(at *graphgen.InterruptedError) []byte {
	answers := []string{`"approve"`, `"deny"`, `"continue"`, `{"decision": "approve"}`, `{"decision": "deny", "reason": "no"}`,
		`""`, `{}`, `null`, `{"decision"`, `7`}
	if at.Kind == graphgen.RequestClientTool {
		answers = append(answers[5:], `{"error": "no"}`)
		for _, result := range []string{`"text"`, `1`, `true`, `[]`, `{}`} {
			answers = append(answers, `{"result": `+result+`}`)
		}
	}
	for _, choice := range at.Choices {
		answers = append(answers, strconv.Quote(choice))
	}
	return []byte(answers[p.IntN(len(answers))])
}

// pauseOf returns what a run waits for that has ended with an error.
func pauseOf(err error) *graphgen.InterruptedError {
	at, _ := errors.AsType[*graphgen.InterruptedError](err)
	if run, ok := err.(*graphgen.RunError); !ok || run.Reason != graphgen.Paused {
		return nil
	}
	return at
}

// refused returns the error of who could not resume a run.
func refused(err error) *graphgen.ResumeError {
	e, _ := err.(*graphgen.ResumeError)
	return e
}

// bother tries what changes nothing.
func (p *Player) bother(ctx context.Context, at *graphgen.InterruptedError, resume Resume, nodes map[string]Resume) {
	if p.IntN(3) > 0 {
		return
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	try := map[string]error{
		"no pause":         resume(ctx, p, &graphgen.InterruptedError{Request: at.Request}),
		"an ended context": resume(ended, p, at),
	}
	for name, resume := range nodes {
		if _, node, nested := strings.Cut(name, "/"); name != at.Node && name != "tool "+at.Tool && !(nested && strings.HasSuffix(node, at.Node)) {
			try["the node "+name] = resume(ctx, p, at)
		}
	}
	for what, err := range try {
		if refused(err) == nil {
			p.wrong("a run was resumed with %s: %v", what, err)
		}
	}
}

// answerOnce answers, sometimes twice at once: one of them is refused.
func (p *Player) answerOnce(ctx context.Context, at *graphgen.InterruptedError, resume Resume) error {
	if p.IntN(6) > 0 {
		return resume(ctx, p, at)
	}
	var errs [2]error
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					p.wrong("to resume panics: %v", v)
				}
			}()
			errs[i] = resume(ctx, p, at)
		})
	}
	wg.Wait()
	if refused(errs[0]) == nil && refused(errs[1]) == nil {
		p.wrong("two have resumed a run: %v", fmt.Sprint(errs))
	}
	if refused(errs[0]) == nil {
		return errs[0]
	}
	return errs[1]
}
