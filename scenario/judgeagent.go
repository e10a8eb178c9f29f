package scenario

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// spent compares the usage of models and tools.
func (j *judgement) spent() {
	x, got := &j.o.Expect, &j.got.Spent
	j.asked()
	switch {
	case x.Judge == nil:
	case got.Judged == "":
		j.fail("judge", x.Judge.Pos.Line, "a request", none)
	default:
		j.contains("judge", x.Judge, got.Judged)
	}
	j.toolsCalled()
	j.toolsGiven()
	for _, p := range x.Prompts {
		said, ok := got.Prompts[p.Node.V]
		if !ok {
			j.fail("prompt of "+p.Node.V, p.Node.Pos.Line, "a request", none)
			continue
		}
		j.prompt("prompt of "+p.Node.V, p, &said)
	}
	if x.Usage != nil {
		j.usage(x.Usage, got.Usage)
	}
}

// asked compares the choices offered to judges.
func (j *judgement) asked() {
	if j.o.Expect.Asked == nil {
		return
	}
	want, got := *j.o.Expect.Asked, j.got.Spent.Asked
	for i := range max(len(want), len(got)) {
		wanted, was, line := none, none, j.o.Expect.AskedPos.Line
		var choices []string
		if i < len(want) {
			for _, choice := range want[i] {
				choices, line = append(choices, choice.V), choice.Pos.Line
			}
			wanted = strings.Join(choices, " / ")
		}
		if i < len(got) {
			was = strings.Join(got[i], " / ")
		}
		if i >= len(want) || i >= len(got) || !slices.Equal(choices, got[i]) {
			j.fail(fmt.Sprintf("asked[%d]", i), line, wanted, was)
		}
	}
}

// contains searches for texts in a long text.
func (j *judgement) contains(what string, m *TextMatch, text string) {
	for _, part := range m.Contains {
		if !strings.Contains(text, part.V) {
			j.fail(what, part.Pos.Line, "a text with "+strconv.Quote(part.V), text)
		}
	}
	for _, part := range m.Lacks {
		if strings.Contains(text, part.V) {
			j.fail(what, part.Pos.Line, "a text without "+strconv.Quote(part.V), text)
		}
	}
}

func (j *judgement) prompt(what string, m *PromptMatch, got *wire.Prompt) {
	j.contains(what, &m.TextMatch, got.Text)
	if m.Tools != nil {
		j.path(what+": tools", m.ToolsPos.Line, *m.Tools, got.Tools)
	}
	if m.Model.V != "" && m.Model.V != got.Model {
		j.fail(what+": model", m.Model.Pos.Line, m.Model.V, got.Model)
	}
}

// toolsCalled compares the calls of tools.
func (j *judgement) toolsCalled() {
	want, got := j.o.Expect.Called, j.got.Spent.ToolCalls
	if want == nil {
		return
	}
	var names []spec.String
	var made []string
	for _, c := range want {
		names = append(names, c.Tool)
	}
	for _, c := range got {
		made = append(made, c.Name)
	}
	before := len(j.failures)
	j.path("tools_called", j.o.Expect.CalledPos.Line, names, made)
	if len(j.failures) > before {
		return
	}
	for i, c := range want {
		if args, ok := j.o.called[i]; ok {
			j.arguments(fmt.Sprintf("tools_called[%d]", i), c, args, j.o.calledAs[i], &got[i])
		}
	}
}

// toolsGiven compares what tools read with what they must, in the entries of their calls.
func (j *judgement) toolsGiven() {
	for i := range j.got.Spent.ToolCalls {
		c := &j.got.Spent.ToolCalls[i]
		calls := j.o.calls[c.Name]
		if c.Entry < 0 || c.Entry >= len(calls.given) || calls.given[c.Entry] == nil {
			continue
		}
		j.compare("given to "+c.Name, calls.entries[c.Entry].Given.Pos.Line, calls.given[c.Entry], parseValue(c.In), calls.in)
	}
}

// arguments compares the arguments of a tool: a struct, or the text that an injected tool receives.
func (j *judgement) arguments(what string, c Call, want any, args *resolve.Type, got *wire.ToolCall) {
	if args != nil {
		j.compare(what, c.Tool.Pos.Line, want, parseValue(got.Arguments), args)
		return
	}
	if was := fmt.Sprint(parseValue(got.Arguments)); was != want {
		j.fail(what, c.Tool.Pos.Line, fmt.Sprint(want), was)
	}
}

func (j *judgement) usage(want *Usage, got wire.Usage) {
	for _, number := range []struct {
		name string
		want spec.Value[int]
		got  int
	}{{"input", want.Input, got.Input}, {"output", want.Output, got.Output}} {
		if number.want.IsSet() && number.want.V != number.got {
			j.fail("usage: "+number.name, number.want.Pos.Line, strconv.Itoa(number.want.V), strconv.Itoa(number.got))
		}
	}
	// Costs are sums of floats.
	if c := want.Cost; c.IsSet() && math.Abs(c.V-got.Cost) > 1e-9*math.Max(1, c.V) {
		j.fail("usage: cost", c.Pos.Line, dollars(c.V), dollars(got.Cost))
	}
}

func dollars(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// unusedCalls reports entries of the script for calls and answers that were not requested, and hooks that were not called.
func (j *judgement) unusedCalls() {
	for _, steps := range slices.Concat(j.o.Tools, j.o.Inject) {
		used := j.got.Tools[steps.Tool.V]
		for i, entries := range steps.leaves() {
			if i < len(used) && used[i] < len(entries) {
				j.fail("calls of "+steps.Tool.V, entries[used[i]].Pos.Line, counted(len(entries), "call"), counted(used[i], "call"))
			}
		}
	}
	stated := slices.ContainsFunc(j.o.Expect.Counts, func(c Count) bool { return c.Name.V == "hook_failures" })
	for _, u := range j.got.Spent.Unasked {
		if u.Key == "hooks" {
			if !stated { // else 0 may be what is expected
				j.fail(fmt.Sprintf("hooks[%d]", u.Entry), j.o.Options.Hooks[u.Entry].Pos.Line, "a step at which it fails", none)
			}
			continue
		}
		asking := map[string]string{"summary": "a request for it", "malformed": "a request for each"}
		if entries := j.o.results[u.Node]; u.Entry < len(entries) {
			e := entries[u.Entry]
			j.fail(u.Key+" of "+u.Node, cmp.Or(e.Keys[u.Key].Line, e.Pos.Line), cmp.Or(asking[u.Key], "a judge that asks for it"), none)
		}
	}
}
