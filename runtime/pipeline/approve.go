package pipeline

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
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

// An answeredCall is a call that waited for an answer, as it is made.
type answeredCall struct {
	chat.ToolCall
	held *engine.HeldCall
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

// waits reports whether calls of a tool, t if the spec has it, wait for an answer: a person approves them, or the caller of the machine makes
// them.
func (s *session) waits(tool string, t *Tool) bool {
	return t != nil && (t.Approve || t.Client) || names(s.node.Approve, tool)
}

// answerOf returns the answer about a call, nil if there is none: a wrapper of tools may have changed the call.
func (s *session) answerOf(c *chat.ToolCall) *answeredCall {
	answered := s.answered[c.ID]
	if answered == nil || answered.Name != c.Name || answered.Arguments != c.Arguments {
		return nil
	}
	return answered
}

// unanswered returns the error of a call of t that waits for an answer, and is not one of those that have one.
func unanswered(t *Tool) error {
	if t != nil && t.Client {
		return &chat.ToolError{Kind: chat.ClientFailed, Text: "what is called is not what was answered"}
	}
	return &chat.ToolError{Kind: chat.CallDenied, Text: "what is called is not what was approved"}
}

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
	*held, s.count = nil, graphgen.ToolCount{}
	made, denied := s.judged(t)
	made = s.unrepeated(t, made)
	if err := s.run.Agent().ReserveTools(len(made)); err != nil {
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
// a pure tool to those of another. A call that repeats a changed one has its arguments.
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

// judged returns which calls are made, with the arguments of the person, and which are not: those that are denied, and
// those of the caller whose results are late.
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

// heldCall returns a call that waits for an answer. The error is that its arguments do not fit.
func (s *session) heldCall(c *chat.ToolCall) (*engine.HeldCall, error) {
	if c.Arguments == "" {
		c.Arguments = "{}"
	}
	var decoder Decoder // of a tool of the spec
	if d, ok := s.caller.(Decoder); ok && s.tool(c.Name) != nil {
		decoder = d
	}
	args, err := argumentsOf(c, decoder)
	if err != nil {
		return nil, err
	}
	name, arguments := c.Name, c.Arguments
	if t := s.tool(name); t != nil && t.Client {
		returner := s.caller.(Returner)
		return &engine.HeldCall{
			Client: true, Tool: name, Arguments: arguments, Args: args, Timeout: t.Timeout.Limit, Schema: returner.ToolReturns(name),
			Question: "What does " + name + " return for " + arguments + "?",
			Accept:   func(answer []byte) (engine.Verdict, error) { return returned(returner, name, answer) },
		}, nil
	}
	return &engine.HeldCall{
		Tool: name, Arguments: arguments, Args: args, Timeout: s.node.Await,
		Question: "May " + s.run.NodeName() + " call " + name + " with " + arguments + "?",
		Schema:   answerSchema(s.schema(name)),
		Accept: func(answer []byte) (engine.Verdict, error) { // another answer may be resuming the run: it has the session
			v, err := verdict(answer)
			if err == nil && v.Arguments != "" {
				_, err = argumentsOf(&chat.ToolCall{Name: name, Arguments: v.Arguments}, decoder)
			}
			if err == nil {
				err = v.Invalid()
			}
			return v, err
		},
	}, nil
}

// argumentsOf decodes the arguments of a call, by the decoder of a tool of the spec. Without one, they are an object of JSON.
func argumentsOf(c *chat.ToolCall, decoder Decoder) (args any, err error) {
	if decoder != nil {
		return decoder.ToolArguments(c)
	}
	var object []byte
	if err := codec.UnmarshalString(c.Arguments, codec.Into(&object, codec.ReadAny)); err != nil {
		return nil, &chat.ToolError{Kind: chat.BadArguments, Err: err}
	}
	if object[0] != '{' {
		return nil, &chat.ToolError{Kind: chat.BadArguments, Err: errors.New("they are no object")}
	}
	return nil, nil
}

// schema returns the JSON Schema of the arguments of a tool.
func (s *session) schema(tool string) string {
	for i := range s.node.Specs {
		if s.node.Specs[i].Name == tool {
			return s.node.Specs[i].Schema
		}
	}
	for _, t := range s.injected {
		if t.name == tool {
			return t.tool.Spec().Schema
		}
	}
	return ""
}

// answerSchema returns the JSON Schema of the answer about a call whose arguments have a schema.
func answerSchema(arguments string) string {
	if arguments = strings.TrimSpace(arguments); len(arguments) < len("{}x") {
		arguments = `{"type":"object"}`
	}
	arguments = `{"$id":"arguments",` + arguments[1:] // what refers to parts of it begins here
	return `{"type":"object","properties":{"decision":{"enum":["approve","deny"]},"reason":{"type":"string"},"arguments":` +
		arguments + `},"required":["decision"],"additionalProperties":false}`
}

// answered is the answer about a call of a tool, as JSON.
type answered struct {
	decision, reason string
	arguments        []byte
}

// JSONMembers lists the members for the codec.
func (a *answered) JSONMembers(o *codec.Object) {
	o.String("decision", &a.decision)
	codec.DefaultMember(o, "reason", &a.reason, "", codec.ReadString, codec.WriteString)
	codec.DefaultMember(o, "arguments", &a.arguments, nil, codec.ReadAny, codec.WriteAny)
}

func readAnswered(a *answered, d *codec.Decoder) { codec.ReadStruct(a, d, "answer") }

// verdict decodes the answer about a call: approve or deny, or an object.
func verdict(data []byte) (v engine.Verdict, err error) {
	var a answered
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '"' {
		err = codec.Unmarshal(data, codec.Into(&a.decision, codec.ReadString))
	} else {
		err = codec.Unmarshal(data, codec.Into(&a, readAnswered))
	}
	v.Reason, v.Arguments = a.reason, string(a.arguments)
	switch a.decision {
	case graphgen.Approve.String():
		v.Decision = graphgen.Approve
	case graphgen.Deny.String():
		v.Decision = graphgen.Deny
	}
	return v, err
}

// Decided returns the verdict of a typed answer about a call of a tool. args are the arguments that the person
// gives; nil: none.
func Decided(decision graphgen.Decision, reason string, args codec.Marshaler) (v engine.Verdict, invalid error) {
	v = engine.Verdict{Decision: decision, Reason: reason}
	if args == nil {
		return v, nil
	}
	data, err := codec.Marshal(args)
	v.Arguments = string(data)
	return v, err
}
