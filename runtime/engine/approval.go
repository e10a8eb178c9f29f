package engine

import (
	"errors"
	"strconv"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// A Verdict is what a person decided about a call of a tool, or, of a tool that the caller of the machine runs, how the
// call ended. The zero Verdict means that no one has decided.
type Verdict struct {
	Decision  graphgen.Decision
	Reason    string // of a denial
	Arguments string // of an approval: in place of those of the model; empty: as they are

	Result *chat.ToolResult // of the caller's tool
	Failed string           // why the caller's tool gave no result
}

// Invalid returns why no call can be made, or not made, by a verdict.
func (v *Verdict) Invalid() error {
	switch {
	case v.Decision.String() == "":
		return errors.New("neither approve nor deny")
	case v.Decision == graphgen.Deny && v.Arguments != "":
		return errors.New("a denied call has no arguments")
	case v.Decision == graphgen.Approve && v.Reason != "":
		return errors.New("a reason belongs to a denial")
	}
	return nil
}

// A HeldCall is a call of a tool that waits for a person's approval, or for its result.
type HeldCall struct {
	Client          bool   // the caller of the machine runs the tool
	Tool, Arguments string // Arguments is JSON
	Args            any    // the same, decoded; nil: the tool is not of the spec
	Question        string
	Schema          string // of the answer
	Timeout         time.Duration
	Accept          func(answer []byte) (Verdict, error)

	Verdict Verdict // of the person
	Late    error   // the answer came too late
}

// Hold adds a request about a call. number is the place of the call in its turn. Held pauses the run.
func (p *Pauses) Hold(h *HeldCall, number int) {
	at := p.run.here()
	q := &request{run: p.run, node: p.run.At, held: h, Request: graphgen.Request{
		ID: p.requestID(h.Tool + "." + strconv.Itoa(number)), Where: p.run.where(at), Within: p.run.settings.location(), Kind: graphgen.RequestToolApproval,
		Tool: h.Tool, Arguments: h.Arguments, Args: h.Args, Question: h.Question, Schema: h.Schema, Choices: decisionWords,
	}}
	if h.Client {
		q.Kind, q.Choices = graphgen.RequestClientTool, nil
	}
	if h.Timeout > 0 {
		q.Deadline = p.run.settings.Now().Add(h.Timeout)
	}
	if t := p.run.settings.thread; t != nil {
		t.Asks(&q.Request)
		if d := t.Decided(q.ID); d != nil {
			h.Verdict, h.Late = d.Verdict, d.late()
			return
		}
	}
	p.add(q)
}

var decisionWords = []string{graphgen.Approve.String(), graphgen.Deny.String()}

// Held returns the error with which the node pauses, as long as requests of Hold are open. When all have their
// answers, it is nil.
func (p *Pauses) Held() error {
	if w := p.awaited(); w != nil && len(w.requests) > 0 {
		return errPaused
	}
	p.Withdraw()
	return nil
}

// Withdraw withdraws the requests of the current node.
func (p *Pauses) Withdraw() {
	if p != nil {
		p.waiting = nil
	}
}
