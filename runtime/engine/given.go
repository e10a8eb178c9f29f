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

// since returns what calls have given since the first n gifts; nil: nothing.
func (s *Settings) since(n int) *gift {
	if len(s.given) <= n {
		return nil
	}
	all := s.given[n]
	for _, g := range s.given[n+1:] {
		all = all.and(g)
	}
	return all
}

// gifts returns what calls have given the parent, as the child run has it.
func (n *nesting) gifts() []*gift {
	g := n.run.settings.since(0)
	if g == nil {
		return nil
	}
	return []*gift{g.passed(n.prefix())}
}

// prefix is what names of nodes of the child run begin with in options of the parent.
func (n *nesting) prefix() string {
	if n.depth > 0 {
		return "" // it is of the same machine
	}
	return n.node + "/"
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
