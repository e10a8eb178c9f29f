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
	{"budget", is[*graphgen.BudgetError]},
	{"hook", is[*graphgen.HookError]},
	{"stopped", is[*graphgen.StopError]},
	{"max_steps", is[*graphgen.StepsError]},
	{"timeout", is[*graphgen.TimeoutError]},
	{"panic", is[*graphgen.PanicError]},
	{"guards", is[*graphgen.GuardsError]},
	{"max_visits", is[*graphgen.VisitsError]},
	{"no_route", is[*graphgen.NoEdgeMatchedError]},
	{"invalid_choice", is[*graphgen.InvalidChoiceError]},
	{"too_long_list", is[*graphgen.LengthError]},
	{"max_depth", is[*graphgen.DepthError]},
	{"denied", is[*graphgen.DeniedError]},
	{"late", is[*graphgen.LateError]},
	{"rate_limited", is[*chat.RateLimitedError]},
	{"context_too_long", is[*chat.ContextTooLongError]},
	{"refused", is[*chat.RefusedError]},
	{"request", is[*chat.RequestError]},
	{"transport", is[*chat.TransportError]},
	{"malformed", is[*chat.MalformedError]},
	{"unknown_tool", is[*pipeline.UnknownToolError]},
	{"arguments", is[*pipeline.ArgumentsError]},
	{"result_too_large", is[*pipeline.ResultTooLargeError]},
	{"empty_input", is[*pipeline.EmptyInputError]},
	{"output", is[*graphgen.OutputError]},
	{"branches", is[*graphgen.BranchesError]},
	{"cancelled", func(err error) bool { return errors.Is(err, context.Canceled) }},
	{"timeout", func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
	{"cancelled", is[*graphgen.CancelledError]},
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
