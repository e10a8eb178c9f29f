package pipeline

import (
	"context"
	"slices"

	"github.com/graphgen/graphgen/chat"
)

// tools returns the table of the tools that the node may call: tools of the spec, and injected
// tools.
func (tr *Transcript) tools(ctx context.Context) ([]chat.ToolSpec, error) {
	tr.session.injected = nil
	if !tr.node.Inject {
		return tr.node.Specs, nil
	}
	specs := slices.Clone(tr.node.Specs)
	for _, box := range tr.run.Settings().Toolboxes {
		tools, err := box.Tools(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range tools {
			s := t.Spec()
			if !tr.allowed(s.Name) || slices.ContainsFunc(specs, func(have chat.ToolSpec) bool { return have.Name == s.Name }) {
				continue
			}
			specs = append(specs, s)
			tr.session.injected = append(tr.session.injected, offered{name: s.Name, tool: t})
		}
	}
	return specs, nil
}

func (tr *Transcript) allowed(tool string) bool {
	if len(tr.node.Allow) > 0 && !names(tr.node.Allow, tool) {
		return false
	}
	return !names(tr.node.Deny, tool)
}

// mayCall reports whether the model may call tools. It may where none was injected, too: then
// each call is one of an unknown tool.
func (tr *Transcript) mayCall() bool {
	return (len(tr.request.Tools) > 0 || tr.node.Inject) && tr.node.Choice.Mode != chat.None
}

// makeAll makes the calls of a turn and appends their results to the messages, in the order of the calls.
// It returns the first error that is fatal, when every call has ended. Where calls wait for people, it keeps the
// turn in held, and returns the error that pauses the run; called again, it continues that turn.
func (s *session) makeAll(ctx context.Context, resp *chat.Response, messages []chat.Message, held **heldTurn) ([]chat.Message, error) {
	holder := s.node.Holder
	if *held != nil {
		return holder.goOn(s, ctx, *held, messages, held)
	}
	calls := resp.Message.Calls
	if ctx.Err() != nil {
		return messages, context.Cause(ctx)
	}
	if err := s.reserve(len(calls), func(i int) int { return i }); err != nil {
		return messages, err
	}
	s.step = s.run.Path().Step() // a tool may need it when the run has gone on
	if holder != nil {
		if t := holder.hold(s, resp); t != nil {
			return holder.begin(s, ctx, t, messages, held)
		}
	}
	if len(calls) == 1 {
		var o outcome
		s.makeOne(ctx, &calls[0], &o)
		s.reportCalls()
		return o.appendTo(messages, &calls[0]), fatal(ctx, o.err)
	}
	outcomes, err := s.concurrently(ctx, calls)
	s.reportCalls()
	if err != nil {
		return messages, err
	}
	return results(ctx, messages, calls, outcomes)
}

// reserve reserves n calls of a turn in the budgets. The call k of them has the number(k) in its turn.
func (s *session) reserve(n int, number func(k int) int) error {
	saved := 0
	for k := range n {
		if s.isSaved(number(k)) {
			saved++
		}
	}
	return s.run.Agent().ReserveTools(n, saved)
}

// results appends the results of calls to the messages, and returns the first error that is fatal.
func results(ctx context.Context, messages []chat.Message, calls []chat.ToolCall, outcomes []outcome) ([]chat.Message, error) {
	var err error
	for i := range calls {
		messages = outcomes[i].appendTo(messages, &calls[i])
		if f := fatal(ctx, outcomes[i].err); f != nil && err == nil {
			err = f
		}
	}
	return messages, err
}

// reportCalls reports the calls that were made.
func (s *session) reportCalls() {
	s.run.Agent().CountTools(s.count, s.saved)
	if s.took > 0 {
		s.run.Agent().DetailTools(s.took)
	}
}

// makeOne makes the only call of a turn on this goroutine.
func (s *session) makeOne(ctx context.Context, c *chat.ToolCall, o *outcome) {
	s.start(c, 0, o)
	t := s.tool(c.Name)
	again := t != nil && t.Pure && s.known(c, t, o)
	if !again {
		s.call(s.run.Agent().CallContext(ctx, s.step, 0), c, t, 0, o)
	}
	s.end(c, t, o, again)
}

// concurrently makes several calls of a turn. It does not make a call that a pure tool has answered before, or that
// equals another call of the turn.
func (s *session) concurrently(ctx context.Context, calls []chat.ToolCall) ([]outcome, error) {
	outcomes := make([]outcome, len(calls))
	by, made := s.answering(calls, outcomes)
	if err := s.make(ctx, calls, made, outcomes); err != nil {
		return nil, err
	}
	s.repeat(calls, by, outcomes)
	return outcomes, nil
}

// make makes some of the calls, as many at a time as the node allows. It reports events on this goroutine. Once the
// context has ended, it begins no further call and returns the cause.
func (s *session) make(ctx context.Context, calls []chat.ToolCall, made []int, outcomes []outcome) error {
	most := s.node.Parallel
	if most == 0 {
		most = parallel
	}
	running := s.run.Calls(ctx, s.step, len(made))
	next := 0
	for finished := 0; ; finished++ {
		for ; next < len(made) && next-finished < most && ctx.Err() == nil; next++ {
			i := made[next]
			s.start(&calls[i], i, &outcomes[i])
			running.Go(i, func(ctx context.Context) {
				outcomes[i].err = errNoReturn
				s.call(ctx, &calls[i], s.tool(calls[i].Name), i, &outcomes[i])
			}, func(v any) { outcomes[i].panicked(s.run, v) })
		}
		if finished == next {
			break
		}
		i := running.Next()
		s.end(&calls[i], s.tool(calls[i].Name), &outcomes[i], false)
	}
	if next < len(made) {
		return context.Cause(ctx)
	}
	return nil
}
