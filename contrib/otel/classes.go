package graphotel

import (
	"context"
	"errors"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// classes are the values of error.type, the more specific ones first.
var classes = []struct {
	name string
	is   func(error) bool
}{
	{"budget", limit(graphgen.LimitBudget)},
	{"hook", is[*graphgen.HookError]},
	{"stopped", is[*graphgen.StopError]},
	{"max_steps", limit(graphgen.LimitSteps)},
	{"timeout", limit(graphgen.LimitTimeout)},
	{"panic", is[*graphgen.PanicError]},
	{"guards", is[*graphgen.GuardsError]},
	{"max_visits", limit(graphgen.LimitVisits)},
	{"no_route", is[*graphgen.NoEdgeMatchedError]},
	{"invalid_choice", is[*graphgen.InvalidChoiceError]},
	{"too_long_list", limit(graphgen.LimitLength)},
	{"max_depth", limit(graphgen.LimitDepth)},
	{"denied", is[*graphgen.DeniedError]},
	{"late", is[*graphgen.LateError]},
	{"rate_limited", kind(chat.RateLimited)},
	{"context_too_long", kind(chat.ContextTooLong)},
	{"refused", kind(chat.Refused)},
	{"request", kind(chat.BadRequest)},
	{"transport", kind(chat.Unreachable)},
	{"malformed", kind(chat.Malformed)},
	{"unknown_tool", toolKind(chat.UnknownTool)},
	{"arguments", toolKind(chat.BadArguments)},
	{"result_too_large", toolKind(chat.ResultTooLarge)},
	{"empty_input", is[*pipeline.EmptyInputError]},
	{"output", is[*graphgen.OutputError]},
	{"branches", is[*graphgen.BranchesError]},
	{"cancelled", func(err error) bool { return errors.Is(err, context.Canceled) }},
	{"timeout", func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
	{"cancelled", is[*graphgen.CancelledError]},
}

func limit(l graphgen.Limit) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[*graphgen.LimitError](err)
		return ok && e.Limit == l
	}
}

func kind(k chat.ErrorKind) func(error) bool {
	return func(err error) bool { return chat.IsKind(err, k) }
}

func toolKind(k chat.ToolErrorKind) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[*chat.ToolError](err)
		return ok && e.Kind == k
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// classOf returns the value of error.type for an error.
func classOf(err error) string {
	for i := range classes {
		if classes[i].is(err) {
			return classes[i].name
		}
	}
	return other
}
