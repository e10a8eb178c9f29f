package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
)

// Part is something that a machine is made with.
type Part struct {
	what, name string
	given      bool
}

// Need describes a part of a machine by its name in a ConfigError, and whether it is given.
func Need(given bool, what string) Part { return Part{what, "", given} }

// NeedGraph is Need for the machine of another graph.
func NeedGraph(given bool, graph string) Part { return Part{"graph", graph, given} }

// Options are the options of a machine, each applied once.
type Options struct{ settings Settings }

// noOptions are the options of a machine that was given none.
var noOptions Options

// Settings returns what the options have set.
func (m *Options) Settings() *optionset.Settings { return &m.settings.Settings }

// Configure applies the options of a machine. The error is a *graphgen.ConfigError: a part is missing, or runs of the graph cannot have the options.
func Configure[O interface {
	option.Thread[optionset.Settings]
}](g *Graph, options []O, parts ...Part) (*Options, error) {
	for _, p := range parts {
		if !p.given {
			return nil, &graphgen.ConfigError{Graph: g.Name, Option: p.what, Name: p.name, Why: "it is nil: the constructor needs it"}
		}
	}
	if len(options) == 0 {
		return &noOptions, nil
	}
	m := new(Options)
	for _, o := range options {
		option.Set(&m.settings.Settings, o)
	}
	s := &m.settings
	s.Observers, s.Hooks = Clip(s.Observers), Clip(s.Hooks)
	s.Toolboxes, s.ToolWrappers, s.ModelWrappers = Clip(s.Toolboxes), Clip(s.ToolWrappers), Clip(s.ModelWrappers)
	s.kept, s.own = s.Thread, &machineHooks{s.Observers, s.Hooks}
	if err := g.unfit(&s.Settings); err != nil {
		return nil, err
	}
	return m, nil
}

// Made returns the machine of a constructor, or the error of its options.
func Made[M any](machine M, err error) (M, error) {
	if err != nil {
		var none M
		return none, err
	}
	return machine, nil
}

// Applied are the options of a machine and of a call, each applied once, for a run of a thread.
type Applied struct{ machine, all *Settings }

// Apply applies the options of a call.
func Apply[O option.Setter[optionset.Settings]](machine *Options, call []O) *Applied {
	return &Applied{&machine.settings, with(&machine.settings, call)}
}

// Settings returns what all options have set.
func (a *Applied) Settings() *optionset.Settings { return &a.all.Settings }

// Reopening returns the options with which the run of a thread is brought to its pause: the machine's, with what the turns that wait have of the call, in
// child runs too: their tools, models and prompts.
func (a *Applied) Reopening() *Applied {
	own, all := *a.machine, a.all
	own.Toolboxes, own.Prompts, own.given = all.Toolboxes, all.Prompts, all.given
	own.Model, own.LightModel, own.NamedModels, own.named = all.Model, all.LightModel, all.NamedModels, all.named
	return &Applied{a.machine, &own}
}

// unfit returns why runs of the graph cannot have the settings.
func (g *Graph) unfit(s *optionset.Settings) error {
	wrong := s.Invalid
	if wrong == nil && s.Named != nil {
		wrong = s.Named.Check(g.Named, func(name string) bool { return g.Mutable != nil || g.named(name, End) != End }, g.runsGraph)
	}
	if wrong == nil && s.Prompts != nil {
		wrong = s.Prompts.Check(g.Prompts, g.runsGraph)
	}
	if wrong == nil {
		wrong = g.uninterruptible(s)
	}
	if wrong == nil {
		return nil
	}
	return &graphgen.ConfigError{Graph: g.Name, Option: wrong.Option, Name: wrong.Name, Why: wrong.Why}
}

// uninterruptible returns the option with an interrupt that runs cannot have: the graph has no such node, or cannot be interrupted.
func (g *Graph) uninterruptible(s *optionset.Settings) *option.Invalid {
	for _, o := range [...]struct {
		name  string
		nodes []string
	}{{"graphgen.WithInterruptBefore", s.InterruptBefore}, {"graphgen.WithInterruptAfter", s.InterruptAfter}} {
		for _, name := range o.nodes {
			n := g.named(name, End)
			switch {
			case n == End || int(n) >= len(g.Nodes):
				return &option.Invalid{Option: o.name, Name: name, Why: "the graph has no such node: name one that it has"}
			case !g.Interruptible:
				return &option.Invalid{Option: o.name, Name: name, Why: "the graph cannot be interrupted: write interrupt_before: [] in its spec"}
			}
		}
	}
	return nil
}

// unserved returns an error for the first server of the graph whose tools no toolbox has.
func (g *Graph) unserved(run *Settings) error {
	for _, s := range g.Servers {
		if !slices.ContainsFunc(run.Toolboxes, func(box chat.Toolbox) bool {
			servers, ok := box.(chat.Servers)
			return ok && servers.Serves(s.Name)
		}) {
			return &graphgen.ConfigError{Graph: g.Name, Option: "server", Name: s.Name,
				Why: "no toolbox of the run serves it: start the servers of the graph, and pass them by WithToolbox"}
		}
	}
	return nil
}

// runsGraph reports whether a node runs a graph.
func (g *Graph) runsGraph(node string) bool {
	return slices.ContainsFunc(g.Nodes, func(n NodeInfo) bool { return n.Name == node && n.Kind == "subgraph" })
}
