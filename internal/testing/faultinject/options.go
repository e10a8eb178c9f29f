package faultinject

import (
	"context"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// options are what a program may give to a run: each run is given some of them.
func (p *Player) options(m *Machine) []graphgen.RunOption {
	governing := p.IntN(2) == 0
	hook := func(context.Context, graphgen.Event) error {
		if p.Float64() < p.wild/4 {
			p.events.ended = governing
			return errRefused
		}
		return nil
	}
	may := []struct {
		oneIn  int
		option graphgen.CallOption
		call   bool // it ends with the call that it is given to
		named  bool // it is for graphs whose nodes name the model
	}{
		{2, graphgen.WithObserver(p.watch), true, false},
		{3, graphgen.WithToolbox(toolbox{p}), false, false},
		{6, graphgen.WithToolbox(toolbox{p}), false, false},
		{3, graphgen.WithLightModel(p.Model()), false, false},
		{3, graphgen.WithNamedModel("large", p.Model()), false, true},
		{4, graphgen.WithToolWrapper(p.around), false, false},
		{8, graphgen.WithBudgets(graphgen.Budgets{Tokens: p.IntN(20_000), ModelCalls: p.IntN(20), ToolCalls: p.IntN(20), Cost: p.Float64()}), false, false},
		{12, graphgen.WithDryRun(), false, false},
		{12, graphgen.WithTimings(), false, false},
		{6, graphgen.WithExchanges(), false, false},
		{12, graphgen.WithHook(graphgen.Hook{Name: "hostile", Before: hook, After: hook, Governing: governing}), true, false},
	}
	out := []graphgen.RunOption{graphgen.WithRunID("run")} // the key of what tools do
	for _, o := range may {
		if p.IntN(o.oneIn) == 0 && !(o.named && !slices.Contains(m.Table.Named, "large")) {
			out = append(out, o.option)
			if o.call {
				p.watching = append(p.watching, o.option)
			}
		}
	}
	return out
}

// Watching are the options that end with a call, for the next call of the same run.
func (p *Player) Watching() []graphgen.ResumeOption { return p.watching }

// watch looks for panics in the events of a run, and sometimes panics itself.
func (p *Player) watch(e graphgen.Event) {
	p.events.note(e)
	p.overhear(&e)
	if e.Err != nil {
		if wrong := unexcused(e.Err); wrong != "" {
			p.wrong("%s tells of %s", e.Kind, wrong)
		}
	}
	if p.Float64() < p.wild/20 {
		panic(errRefused)
	}
}

// around wraps calls of tools, and sometimes refuses them. Calls may run concurrently.
func (p *Player) around(next chat.ToolFunc) chat.ToolFunc {
	return func(ctx context.Context, call *chat.ToolCall) (chat.ToolResult, error) {
		var verdict bool
		if err := p.Tool(ctx, &verdict); err != nil {
			return chat.ToolResult{}, err
		}
		return next(ctx, call)
	}
}

// A toolbox has other tools whenever it is asked, and sometimes none.
type toolbox struct{ p *Player }

// Tools gives a few tools, of which some have a name of another.
func (b toolbox) Tools(context.Context) ([]chat.Tool, error) {
	p := b.p
	if p.Float64() < p.wild/2 {
		return nil, p.Call(context.Background())
	}
	var tools []chat.Tool
	for range p.IntN(4) {
		tools = append(tools, tool{p, []string{"shell", "lookup", "search", "read"}[p.IntN(4)]})
	}
	return tools, nil
}

// A tool is one of a toolbox.
type tool struct {
	p    *Player
	name string
}

// Spec returns the tool's name with a fixed description.
func (t tool) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: t.name, Doc: "Does something.", Schema: `{"type":"object","properties":{"x":{"type":"string"}}}`}
}

// Call gives anything.
func (t tool) Call(ctx context.Context, _ string) (result chat.ToolResult, err error) {
	err = t.p.Tool(ctx, &result.Text)
	return result, err
}
