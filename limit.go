package graphgen

import (
	"math"
	"strconv"
	"time"

	"github.com/graphgen/graphgen/internal/origin"
)

// A Limit is a bound of a run that a LimitError is about.
type Limit uint8

const (
	LimitSteps   Limit = iota + 1 // the max_steps of a graph, or fewer by an option
	LimitVisits                   // the max_visits of a node
	LimitDepth                    // the max_depth of a graph that runs itself
	LimitLength                   // the max_length of a list whose elements have a branch each
	LimitBudget                   // of tokens, money and calls, by the spec, an option or a hook
	LimitTimeout                  // the timeout of a node, a run or a tool
)

// String returns max_steps, max_visits, max_depth, max_length, budget or timeout.
func (l Limit) String() string {
	return [...]string{"", "max_steps", "max_visits", "max_depth", "max_length", "budget", "timeout"}[l]
}

// A LimitError reports that a run has reached a limit. The limits of a node and of a tool fail the node, which may have an on_error edge; a model
// gets the error of its tool. The others end the run; a budget may have an on: budget edge. To change a limit, see the spec, WithBudgets and
// package hooks.
type LimitError struct {
	Limit Limit
	Of    string  // a length: the field. A budget: tokens, US dollars, model calls, tool calls, or what a hook names. A timeout: node, run or tool
	Max   float64 // steps, visits, elements, …; seconds of a timeout
	Used  float64 // of a length and a budget: how much there was

	// Unpriced is the model without a price, if that is why a budget of US dollars cannot be enforced: no call of the model was made. See
	// chat.Priced.
	Unpriced string

	Where *Where // of steps: the node that would have been next; nil: an error around this one has the place

	Origin origin.Ref `json:"-"` // the run whose budget it is, where that is a parent
}

func (e *LimitError) Error() string {
	most := amount(e.Max)
	switch e.Limit {
	case LimitSteps:
		text := "max_steps reached: the run made " + most + " steps"
		if e.Where != nil {
			text = e.Where.String() + ": " + text
		}
		return text
	case LimitVisits:
		return "visits exhausted: max_visits is " + most
	case LimitDepth:
		return "max_depth reached: the graph runs itself " + most + " deep"
	case LimitLength:
		return e.Of + " has " + amount(e.Used) + " elements, more than its max_length of " + most
	case LimitTimeout:
		return e.Of + " timeout of " + time.Duration(math.Round(e.Max*float64(time.Second))).String()
	}
	if e.Unpriced != "" {
		return "budget of " + e.Of + " cannot be enforced: " + e.Unpriced + " has no price; give it one with chat.Priced"
	}
	return "budget of " + e.Of + " exceeded: " + amount(e.Used) + " of " + most
}

func amount(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// Transient reports whether a retry may help: true for the timeout of a node.
func (e *LimitError) Transient() bool { return e.Limit == LimitTimeout && e.Of == "node" }

// Decides reports whether the limit is a timeout. Another limit leaves Transient to the other errors of its tree. See IsTransient.
func (e *LimitError) Decides() bool { return e.Limit == LimitTimeout }

// Timeout reports whether the limit is a timeout, as net.Error specifies.
func (e *LimitError) Timeout() bool { return e.Limit == LimitTimeout }
