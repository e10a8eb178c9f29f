package pipeline

import (
	"context"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A heldTurn is a turn with calls that wait for answers. Its other calls have been made.
type heldTurn struct {
	resp     *chat.Response
	calls    []chat.ToolCall // with the arguments with which they are made
	outcomes []outcome       // by call
	by       []int           // by call, which call answers it
	free     []int           // the calls that wait for no answer
	unfit    []int           // those that no tool can take
	held     []*engine.HeldCall
}

// A Holder holds the calls of a Node that wait for answers: a person approves them, or the caller of the machine makes
// them. Nodes without such calls have none, so that their programs link none of it.
type Holder struct {
	hold        func(*session, *chat.Response) *heldTurn
	begin, goOn func(*session, context.Context, *heldTurn, []chat.Message, **heldTurn) ([]chat.Message, error)
	byClient    func(*session, context.Context, *chat.ToolCall) (chat.ToolResult, error)
}

// CallHolder is the Holder of every Node that has one.
var CallHolder = Holder{(*session).hold, (*session).begin, (*session).goOn, (*session).byClient}

// hold returns the turn of an answer with calls that wait, nil if it has none. A call that repeats another
// is not made, and arguments that do not fit reach no tool: there is no request for them.
func (s *session) hold(resp *chat.Response) *heldTurn {
	calls := resp.Message.Calls
	if !slices.ContainsFunc(calls, func(c chat.ToolCall) bool { return s.waits(c.Name, s.tool(c.Name)) }) {
		return nil
	}
	t := &heldTurn{resp: resp, calls: slices.Clone(calls), outcomes: make([]outcome, len(calls)), held: make([]*engine.HeldCall, len(calls))}
	var made []int
	t.by, made = s.answering(calls, t.outcomes)
	for _, i := range made {
		c := &t.calls[i]
		if !s.waits(c.Name, s.tool(c.Name)) {
			t.free = append(t.free, i)
			continue
		}
		h, err := s.heldCall(c)
		if err != nil {
			t.outcomes[i].err = err
			t.unfit = append(t.unfit, i)
			continue
		}
		t.held[i] = h
	}
	return t
}

// begin makes the calls of a turn that wait for no answer, and holds the others.
func (s *session) begin(ctx context.Context, t *heldTurn, messages []chat.Message, held **heldTurn) ([]chat.Message, error) {
	err := s.make(ctx, t.calls, t.free, t.outcomes)
	for _, i := range t.unfit {
		s.emitStart(&t.calls[i])
		s.end(&t.calls[i], s.tool(t.calls[i].Name), &t.outcomes[i], false)
	}
	s.reportCalls()
	if err != nil {
		return messages, err
	}
	for _, i := range t.free {
		if err := fatal(ctx, t.outcomes[i].err); err != nil {
			return messages, err
		}
	}
	*held = t
	for i, h := range t.held {
		if h != nil {
			s.run.Pausing().Hold(h, i+1)
		}
	}
	return s.goOn(ctx, t, messages, held)
}

// goOn makes the calls of a turn that were held when all have their answers, and appends the results of the turn to
// the messages.
func (s *session) goOn(ctx context.Context, t *heldTurn, messages []chat.Message, held **heldTurn) ([]chat.Message, error) {
	if ctx.Err() != nil {
		*held = nil
		s.run.Pauses().Withdraw()
		return messages, context.Cause(ctx)
	}
	if err := s.run.Pauses().Held(); err != nil {
		return messages, err
	}
	*held, s.count, s.saved = nil, graphgen.ToolCount{}, 0
	made, denied := s.judged(t)
	made = s.unrepeated(t, made)
	if err := s.reserve(len(made), func(k int) int { return made[k] }); err != nil {
		return messages, err
	}
	s.step = s.run.Path().Step()
	err := s.make(ctx, t.calls, made, t.outcomes)
	if err == nil {
		for _, i := range denied {
			s.emitDenied(&t.calls[i], &t.outcomes[i])
		}
		s.repeat(t.calls, t.by, t.outcomes)
	}
	s.reportCalls()
	if err != nil {
		return messages, err
	}
	before := len(messages)
	messages, err = results(ctx, messages, t.calls, t.outcomes)
	for i := range t.calls {
		if t.changed(i) && t.outcomes[i].err == nil {
			messages[before+i].Text = "A person changed the arguments of the call to " + t.calls[i].Arguments + ". The result:\n" + messages[before+i].Text
		}
	}
	return messages, err
}

// changed reports whether a person has changed the arguments of a call, or of the call of the turn that it repeats.
func (t *heldTurn) changed(i int) bool {
	h := t.held[i]
	if by := t.by[i]; h == nil && by >= 0 {
		h = t.held[by]
	}
	return h != nil && t.calls[i].Arguments != h.Arguments
}

// unrepeated returns those calls of made that no other call answers. A person may have changed the arguments of a call of
// a pure tool, so that it equals another. A call that repeats a changed one has its arguments.
func (s *session) unrepeated(t *heldTurn, made []int) []int {
	for i, by := range t.by {
		if by >= 0 && t.held[i] == nil {
			t.calls[i].Arguments = t.calls[by].Arguments
		}
	}
	calls, outcomes := make([]chat.ToolCall, len(made)), make([]outcome, len(made))
	for n, i := range made {
		calls[n] = t.calls[i]
	}
	by, rest := s.answering(calls, outcomes)
	for n, i := range made {
		switch {
		case by[n] == earlier:
			t.by[i], t.outcomes[i] = earlier, outcomes[n]
		case by[n] != n:
			t.by[i] = made[by[n]]
		}
	}
	for n, of := range rest {
		rest[n] = made[of]
	}
	return rest
}

// judged returns which calls are made, with the arguments of the person, and which are not: calls that are denied, and
// calls of the caller whose results are late.
func (s *session) judged(t *heldTurn) (made, denied []int) {
	s.answered = make(map[string]*answeredCall, len(t.held))
	for i, h := range t.held {
		switch {
		case h == nil:
			continue
		case h.Client && h.Late != nil:
			_, t.outcomes[i].err = returnedBy(h)
			denied = append(denied, i)
			continue
		case h.Client:
		case h.Late != nil || h.Verdict.Decision != graphgen.Approve:
			t.outcomes[i].err = &chat.ToolError{Kind: chat.CallDenied, Text: h.Verdict.Reason, Late: h.Late != nil}
			denied = append(denied, i)
			continue
		case h.Verdict.Arguments != "":
			t.calls[i].Arguments = h.Verdict.Arguments
		}
		s.answered[t.calls[i].ID] = &answeredCall{ToolCall: t.calls[i], held: h}
		made = append(made, i)
	}
	return made, denied
}

// emitDenied reports a call that is not made. It counts as no call.
func (s *session) emitDenied(c *chat.ToolCall, o *outcome) {
	if s.emitStart(c); s.run.Settings().Observed() {
		s.emit(graphgen.ToolEnd, o.err, &graphgen.ToolEvent{Name: c.Name, ID: c.ID, By: s.by, Arguments: c.Arguments})
	}
}

// A clientCall is the call of a tool node that waits for its result.
type clientCall struct {
	held *engine.HeldCall
	step int
}

// byClient makes the call of a tool node whose tool the caller of the machine runs. It returns the error that pauses
// the run as long as it has no result.
func (s *session) byClient(ctx context.Context, c *chat.ToolCall) (chat.ToolResult, error) {
	waiting := s.conversation.calling
	if waiting == nil || waiting.step != s.step { // a call of an execution that was cut off is another
		if ctx.Err() != nil {
			return chat.ToolResult{}, context.Cause(ctx)
		}
		if err := s.reserve(1, onlyCall); err != nil {
			return chat.ToolResult{}, err
		}
		s.run.Agent().Open()
		h, err := s.heldCall(c)
		s.reportCalls() // it gives back what is reserved: a run that waits holds nothing of a budget
		if err != nil {
			return chat.ToolResult{}, err
		}
		waiting = &clientCall{h, s.step}
		s.conversation.calling = waiting
		s.run.Pausing().Hold(h, 1)
	}
	if ctx.Err() != nil {
		s.conversation.calling = nil
		s.run.Pauses().Withdraw()
		return chat.ToolResult{}, context.Cause(ctx)
	}
	if err := s.run.Pauses().Held(); err != nil {
		return chat.ToolResult{}, err
	}
	s.conversation.calling = nil
	var o outcome
	h := waiting.held
	if h.Late != nil {
		_, o.err = returnedBy(h)
		s.emitDenied(c, &o)
		return chat.ToolResult{}, o.err
	}
	if err := s.reserve(1, onlyCall); err != nil {
		return chat.ToolResult{}, err
	}
	s.answered = map[string]*answeredCall{c.ID: {ToolCall: *c, held: h}}
	s.makeOne(ctx, c, &o)
	s.reportCalls()
	return o.result, o.err
}
