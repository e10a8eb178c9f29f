package harness

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/scenario/wire"
)

// rewind starts the recording of the scenario, if it has one.
func (s *Script) rewind() error {
	if s.scenario.Recording == "" {
		return nil
	}
	tape, err := record.Open([]byte(s.scenario.Recording))
	s.tape = tape
	return err
}

// playTools plays tool calls from the recording, and records them like calls of a script.
func (s *Script) playTools() graphgen.Option {
	note := func(next chat.ToolFunc) chat.ToolFunc {
		return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
			info := graphgen.Info(ctx)
			s.mu.Lock()
			s.noteTool(placeOf(ctx), &info, toolCall{
				ToolCall: wire.ToolCall{Name: wire.Join(info.Within, call.Name), Arguments: asValue(call.Arguments)}, number: callNumber(ctx),
			})
			s.mu.Unlock()
			return next(ctx, call)
		}
	}
	return graphgen.Options(graphgen.WithToolWrapper(note), record.Tools(s.tape))
}

// asValue returns the arguments of a call if they are JSON.
func asValue(arguments string) wire.Value {
	if !json.Valid([]byte(arguments)) {
		return nil
	}
	return wire.Value(arguments)
}

// played checks that the run was the recorded one.
func (s *Script) played(err error) {
	if s.tape == nil || s.problem != nil {
		return
	}
	if diverged, ok := errors.AsType[*record.DivergenceError](err); ok {
		s.problem = diverged
	} else if err == nil {
		s.problem = s.tape.Done()
	}
}
