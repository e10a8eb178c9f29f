package graphotel

import (
	"context"
	"errors"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// classes are the values of error.type, the more specific ones first.
var classes = []struct {
	name string
	is   func(error) bool
}{
	{"budget", is[*graphrt.BudgetError]},
	{"hook", is[*graphrt.HookError]},
	{"stopped", is[*graphrt.StopError]},
	{"max_steps", is[*graphrt.StepsError]},
	{"timeout", is[*graphrt.TimeoutError]},
	{"panic", is[*graphrt.PanicError]},
	{"guards", is[*graphrt.GuardsError]},
	{"max_visits", is[*graphrt.VisitsError]},
	{"no_route", is[*graphrt.NoEdgeMatchedError]},
	{"invalid_choice", is[*graphrt.InvalidChoiceError]},
	{"too_long_list", is[*graphrt.LengthError]},
	{"max_depth", is[*graphrt.DepthError]},
	{"denied", is[*graphrt.DeniedError]},
	{"late", is[*graphrt.LateError]},
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
	{"output", is[*graphrt.OutputError]},
	{"branches", is[*graphrt.BranchesError]},
	{"cancelled", func(err error) bool { return errors.Is(err, context.Canceled) }},
	{"timeout", func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
	{"cancelled", is[*graphrt.CancelledError]},
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
