package engine

import (
	"slices"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
)

// A gift is what child runs get too of the options of a call.
type gift struct {
	model, light  chat.Model
	named         map[string]chat.Model
	toolboxes     []chat.Toolbox
	toolWrappers  []func(chat.ToolFunc) chat.ToolFunc
	modelWrappers []func(chat.Model) chat.Model
	prompts       option.Prompts // nil: none
	dryRun        bool
}

// isEmpty reports whether child runs get nothing.
func (g *gift) isEmpty() bool {
	return g.model == nil && g.light == nil && g.prompts == nil && !g.dryRun &&
		len(g.named)+len(g.toolboxes)+len(g.toolWrappers)+len(g.modelWrappers) == 0
}

// and returns the gift with the gift of a later call.
func (g *gift) and(later *gift) *gift {
	all := &gift{
		model: g.model, light: g.light, prompts: pass("", later.prompts, pass("", g.prompts, nil)),
		named: bothModels(g.named, later.named), dryRun: g.dryRun || later.dryRun,
		toolboxes:     slices.Concat(g.toolboxes, later.toolboxes),
		toolWrappers:  slices.Concat(g.toolWrappers, later.toolWrappers),
		modelWrappers: slices.Concat(g.modelWrappers, later.modelWrappers),
	}
	if later.model != nil {
		all.model = later.model
	}
	if later.light != nil {
		all.light = later.light
	}
	return all
}

// A heldModel is the model of settings while options are applied that may replace it.
type heldModel struct{ chat.Model }

func hold(m chat.Model) chat.Model {
	if m == nil {
		return nil
	}
	return &heldModel{m}
}

// release returns the model that options have left, and the one that they have given; nil: they have given none.
func release(m chat.Model) (left, given chat.Model) {
	if of, ok := m.(*heldModel); ok {
		return of.Model, nil
	}
	return m, m
}

// apply applies the options of a call, each once, and finds out what child runs get of them.
func apply[O option.Setter[optionset.Settings]](s *Settings, call []O) {
	if len(call) == 0 {
		return
	}
	texts, dry := s.Prompts, s.DryRun
	if s.NamedModels != nil {
		s.named = append(Clip(s.named), s.NamedModels)
	}
	boxes, tools, models := len(s.Toolboxes), len(s.ToolWrappers), len(s.ModelWrappers)
	s.Model, s.LightModel, s.NamedModels, s.Prompts, s.DryRun = hold(s.Model), hold(s.LightModel), nil, nil, false
	for _, o := range call {
		option.Set(&s.Settings, o)
	}
	g := gift{prompts: s.Prompts, named: s.NamedModels, dryRun: s.DryRun, toolboxes: s.Toolboxes[min(boxes, len(s.Toolboxes)):],
		toolWrappers: s.ToolWrappers[min(tools, len(s.ToolWrappers)):], modelWrappers: s.ModelWrappers[min(models, len(s.ModelWrappers)):]}
	s.Model, g.model = release(s.Model)
	s.LightModel, g.light = release(s.LightModel)
	s.DryRun = s.DryRun || dry
	s.Prompts = pass("", g.prompts, texts)
	if !g.isEmpty() {
		kept := g // an allocation where it is needed
		s.given = append(Clip(s.given), &kept)
	}
}

// Applied are the options of a machine and of a call, each applied once, for a run of a thread.
type Applied struct{ machine, all *Settings }

// Apply applies the options of a call.
func Apply[O option.Setter[optionset.Settings]](machine *Options, call []O) *Applied {
	return &Applied{&machine.settings, with(&machine.settings, call)}
}

// Settings returns what the options have set.
func (m *Options) Settings() *optionset.Settings { return &m.settings.Settings }

// Settings returns what all options have set.
func (a *Applied) Settings() *optionset.Settings { return &a.all.Settings }

// OfMachine returns the options of the machine alone.
func (a *Applied) OfMachine() *Applied { return &Applied{a.machine, a.machine} }

// bothModels returns the models of two maps. Models of the second replace models of the first.
func bothModels(a, b map[string]chat.Model) map[string]chat.Model {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	all := map[string]chat.Model{}
	for _, models := range [...]map[string]chat.Model{a, b} {
		for name, m := range models {
			all[name] = m
		}
	}
	return all
}

// take adds a gift to the settings of a child run. Its wrappers of models and tools enclose the wrappers of s.
func take(s *optionset.Settings, g *gift) {
	if g.model != nil {
		s.Model = g.model
	}
	if g.light != nil {
		s.LightModel = g.light
	}
	s.NamedModels = bothModels(s.NamedModels, g.named)
	s.Toolboxes = append(Clip(s.Toolboxes), g.toolboxes...)
	s.ToolWrappers = append(Clip(g.toolWrappers), s.ToolWrappers...)
	s.ModelWrappers = append(Clip(g.modelWrappers), s.ModelWrappers...)
	s.DryRun = s.DryRun || g.dryRun
}

// passed returns the gift as a child run has it, whose nodes have a prefix in the names of prompts.
func (g *gift) passed(prefix string) *gift {
	within := *g
	within.prompts = pass(prefix, g.prompts, nil)
	return &within
}

// pass returns texts of nodes, which may be nil, with the texts of from for the nodes whose names have a prefix.
func pass(prefix string, from, to option.Prompts) option.Prompts {
	if from == nil {
		return to
	}
	return from.Pass(prefix, to)
}
