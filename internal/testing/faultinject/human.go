package faultinject

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/graphgen/graphgen"
)

// An Asked is a request of a run that has paused.
type Asked struct {
	graphgen.Request
	Pause *graphgen.Pause
}

// A Resume answers a request, somehow.
type Resume func(context.Context, *Player, *Asked) error

// People answers the requests of a run, in any order. Answers may be late, repeated, concurrent, for
// another node, or missing. nodes has the typed answers by node, with those around it that run other graphs, and those of
// tools by "tool" and the name; anything answers any request in JSON. It returns the error with which the run ends.
func (p *Player) People(ctx context.Context, err error, nodes map[string]Resume, anything Resume) error {
	for tries := 0; tries < 8; tries++ {
		pause := pauseOf(err)
		if pause == nil || p.IntN(10) == 0 {
			return err
		}
		p.count()
		at := &Asked{pause.Requests[p.IntN(len(pause.Requests))], pause}
		resume := answerTo(at, nodes)
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

// answerTo returns the typed answer to a request, nil if there is none.
func answerTo(at *Asked, nodes map[string]Resume) Resume {
	switch {
	case at.Kind == graphgen.RequestInterrupt, at.Tool != "" && at.Within != "":
		return nil
	case at.Tool != "":
		return nodes["tool "+at.Tool]
	}
	return nodes[strings.TrimPrefix(at.Within+"/"+at.Node, "/")]
}

// JSON returns an answer to a request in JSON, mostly a valid one.
func (p *Player) JSON(at *Asked) []byte {
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

// pauseOf returns the pause of a run that has ended with an error, nil if it does not wait.
func pauseOf(err error) *graphgen.Pause {
	if run, ok := err.(*graphgen.RunError); !ok || run.Reason != graphgen.Paused {
		return nil
	}
	return graphgen.AsPause(err)
}

// refused returns the error of who could not resume a run.
func refused(err error) *graphgen.ResumeError {
	e, _ := err.(*graphgen.ResumeError)
	return e
}

// bother tries what changes nothing.
func (p *Player) bother(ctx context.Context, at *Asked, resume Resume, nodes map[string]Resume) {
	if p.IntN(3) > 0 {
		return
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	try := map[string]error{
		"no pause":         resume(ctx, p, &Asked{at.Request, &graphgen.Pause{Requests: []graphgen.Request{at.Request}}}),
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

// answerOnce answers, sometimes twice concurrently: one of them is refused.
func (p *Player) answerOnce(ctx context.Context, at *Asked, resume Resume) error {
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
