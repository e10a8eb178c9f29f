package graphgen

import (
	"maps"
	"math"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/absent"
	"github.com/graphgen/graphgen/internal/option"
)

// WithModel replaces the model of the machine.
func WithModel(m chat.Model) Option {
	if absent.Is(m) {
		return Invalid("graphgen.WithModel", isNil)
	}
	return always(func(s *settings) { s.Model = m })
}

// WithLightModel sets the light model, for nodes with the flag lightweight. Without it they use the
// machine's model.
func WithLightModel(m chat.Model) Option {
	if absent.Is(m) {
		return Invalid("graphgen.WithLightModel", isNil)
	}
	return always(func(s *settings) { s.LightModel = m })
}

// WithNamedModel sets the model that nodes of the spec, or of a graph that it runs, name. A name without this option
// is passed to the machine's model, whose provider looks up the model of that name.
func WithNamedModel(name string, m chat.Model) Option {
	if absent.Is(m) {
		return Invalid("graphgen.WithNamedModel", isNil)
	}
	return always(func(s *settings) {
		s.NamedModels = maps.Clone(s.NamedModels) // other runs have the map that was
		if s.NamedModels == nil {
			s.NamedModels = map[string]chat.Model{}
		}
		s.NamedModels[name] = m
		s.NameModel("graphgen.WithNamedModel", name)
	})
}

// WithToolbox gives tools that are known only at run time to the nodes with the flag
// inject_tools. Several add up.
func WithToolbox(t chat.Toolbox) Option {
	if absent.Is(t) {
		return Invalid("graphgen.WithToolbox", isNil)
	}
	return always(func(s *settings) { s.Toolboxes = append(s.Toolboxes, t) })
}

// WithToolWrapper wraps every tool call with wrap, as middleware: to log, to ask for
// permission, to record. wrap gets the function that it wraps.
func WithToolWrapper(wrap func(chat.ToolFunc) chat.ToolFunc) Option {
	if wrap == nil {
		return Invalid("graphgen.WithToolWrapper", isNil)
	}
	return always(func(s *settings) { s.ToolWrappers = append(s.ToolWrappers, wrap) })
}

// WithModelWrapper wraps every model that a node asks with wrap, as middleware: to trace, to log, to
// change requests. wrap gets the model that it wraps. A call of it is one answer of the node: the
// calls that chat.Retry and chat.Fallback make for it are within. It may answer itself; that counts
// as no call. An answer that it gives is not priced: see chat.Priced.
func WithModelWrapper(wrap func(chat.Model) chat.Model) Option {
	if wrap == nil {
		return Invalid("graphgen.WithModelWrapper", isNil)
	}
	return always(func(s *settings) { s.ModelWrappers = append(s.ModelWrappers, wrap) })
}

// WithBudgets bounds what models and tools may do in a run. The lowest of several bounds holds,
// including the bounds of the spec.
func WithBudgets(b Budgets) Option {
	if b.Cost != b.Cost {
		return Invalid("graphgen.WithBudgets", notANumber)
	}
	return always(func(s *settings) { s.Budgets = s.Budgets.Lower(b) })
}

// WithTurnCalls bounds how many tools a model may call in one turn, at least 1; 1,000 without it. An answer with more calls is sent back to
// the model as invalid: none of its calls is made. A provider may have a lower bound of its own.
func WithTurnCalls(most int) Option {
	if most < 1 {
		return Invalid("graphgen.WithTurnCalls", "it is below 1: Budgets.ToolCalls of -1 allows no calls")
	}
	return always(func(s *settings) { s.TurnCalls = int32(min(most, math.MaxInt32)) })
}

// WithDryRun stops runs, with the reason stopped and no error, before they leave the first node
// whose edges have conditions.
func WithDryRun() CallOption { return option.ForCall[settings](func(s *settings) { s.DryRun = true }) }

// WithRunID sets the run's name in idempotency keys, instead of a random one. In a thread it names one run: with the name of a run that the thread
// has had, Start returns the result of that one.
func WithRunID(id string) RunOption {
	if id == "" {
		return Invalid("graphgen.WithRunID", "it is empty: leave it out for a random one")
	}
	return option.ForRun[settings](func(s *settings) { s.RunID = id })
}

// Budgets bounds what models and tools may do in a run. A field that is 0 has no bound; below 0
// nothing is left. A run that has used up one of them ends, with the reason budget, before
// the next call, or takes the on: budget edge of the node. The tokens and the cost of the call that uses up a budget are known only
// after it.
type Budgets struct {
	Tokens     int     // in and out
	Cost       float64 // US dollars, where the models' prices are known
	ModelCalls int
	ToolCalls  int
}

// Lower returns the lower bound of each.
func (b Budgets) Lower(c Budgets) Budgets {
	return Budgets{least(b.Tokens, c.Tokens), least(b.Cost, c.Cost), least(b.ModelCalls, c.ModelCalls), least(b.ToolCalls, c.ToolCalls)}
}

func least[N int | float64](a, b N) N {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
