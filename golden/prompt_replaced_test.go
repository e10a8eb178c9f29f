package golden_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/branchprompt"
	"github.com/graphgen/graphgen/golden/budget"
	"github.com/graphgen/graphgen/golden/judged"
	"github.com/graphgen/graphgen/golden/mutationmodel"
	"github.com/graphgen/graphgen/golden/promptfiles"
	"github.com/graphgen/graphgen/golden/prompts"
)

// A listener is a model that keeps what it is asked.
type listener struct {
	answer string
	route  string     // that a router takes; empty: answer
	mu     sync.Mutex // branches ask at once
	asked  []chat.Request
}

func (l *listener) Generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	l.mu.Lock()
	l.asked = append(l.asked, *req)
	l.mu.Unlock()
	answer := l.answer
	switch {
	case req.Purpose == chat.Choose:
		answer = `{"route":"` + cmp.Or(l.route, "answer") + `"}`
	case req.Output != nil && req.Output.Name == "verdict":
		answer = `{"pass":true}`
	}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: answer}}, nil
}

// said returns the last request: the system prompt, and the user's turn.
func (l *listener) said() (system, user string) {
	last := l.asked[len(l.asked)-1]
	return last.System, last.Messages[len(last.Messages)-1].Text
}

func TestReplacedPrompts(t *testing.T) {
	const turn = "The customer writes:\n\nIt is broken.\n\nIt is about the kettle."
	for name, c := range map[string]struct {
		options      []graphgen.Option
		system, user string
	}{
		"nothing": {nil,
			"You are a patient member of the support desk.\n\n# How to answer\n\nBe short. Braces are {{these}}.\n\nThank the " +
				"customer for the message, and be kind throughout.", turn},
		"instructions, behind the perspective and before the blocks": {
			[]graphgen.Option{graphgen.WithPrompt("answer", "Be quick.\r\nBraces are {{{{these}}.\n\n")},
			"You are a patient member of the support desk.\n\nBe quick.\nBraces are {{these}}.\n\nThank the customer for the " +
				"message, and be kind throughout.", turn},
		"instructions with placeholders": {
			[]graphgen.Option{graphgen.WithPrompt("answer", "The {{ product }}, {{product}}!")},
			"You are a patient member of the support desk.\n\nThe the kettle, the kettle!\n\nThank the customer for the message, " +
				"and be kind throughout.", turn},
		"the message": {
			[]graphgen.Option{graphgen.WithPromptMessage("answer", "They write {{message}} today.")},
			"", "They write It is broken. today.\n\nIt is about the kettle."},
		"a message that leaves a field out, which is shown": {
			[]graphgen.Option{graphgen.WithPromptMessage("answer", "Go on.")},
			"", "message:\n```\nIt is broken.\n```\n\nGo on.\n\nIt is about the kettle."},
		"both": {
			[]graphgen.Option{graphgen.WithPromptMessage("answer", "Go on."), graphgen.WithPrompt("answer", "About {{message}}")},
			"You are a patient member of the support desk.\n\nAbout It is broken.\n\nThank the customer for the message, and be kind throughout.",
			"Go on.\n\nIt is about the kettle."},
		"the last option of a text": {
			[]graphgen.Option{graphgen.WithPromptMessage("answer", "First."), graphgen.WithPromptMessage("answer", "{{message}}, second.")},
			"", "It is broken., second.\n\nIt is about the kettle."},
		"a long text, which leaves blocks no room": {
			[]graphgen.Option{graphgen.WithPrompt("answer", strings.Repeat("Be quick. ", 16)+"So.")},
			"You are a patient member of the support desk.\n\n" + strings.Repeat("Be quick. ", 16) + "So.", "The customer writes:\n\nIt is broken."},
		"another node": {[]graphgen.Option{graphgen.WithPrompt("sort", "Choose.")}, "", turn},
	} {
		t.Run(name, func(t *testing.T) {
			for _, ofMachine := range []bool{true, false} {
				model := &listener{answer: "Plug it in."}
				in := promptfiles.PromptfilesInput{Message: "It is broken.", Product: new("the kettle")}
				var err error
				if ofMachine {
					_, err = must(promptfiles.NewPromptfiles(struct {
						promptfiles.PromptfilesHandlers
					}{}, model, c.options...)).Run(t.Context(), in)
				} else {
					_, err = must(promptfiles.NewPromptfiles(struct {
						promptfiles.PromptfilesHandlers
					}{}, model)).Run(t.Context(), in, graphgen.Options(c.options...))
				}
				if err != nil {
					t.Fatal(err)
				}
				system, user := model.said()
				if c.system != "" && system != c.system || user != c.user {
					t.Errorf("of the machine %v: got %q\n%q", ofMachine, system, user)
				}
			}
		})
	}
}

// TestReplacedPromptsOfKinds holds what stays of the prompts of routers, guards and pools.
func TestReplacedPromptsOfKinds(t *testing.T) {
	model := &listener{answer: "Plug it in."}
	m := must(promptfiles.NewPromptfiles(struct {
		promptfiles.PromptfilesHandlers
	}{}, model))
	_, err := m.Run(t.Context(), promptfiles.PromptfilesInput{Message: "It is broken."},
		graphgen.WithPrompt("look", "Look at {{message}}"), graphgen.WithPrompt("sort", "Sort {{message}}\n"), graphgen.WithPromptMessage("sort", "Well?"))
	if err != nil || len(model.asked) != 3 {
		t.Fatal(err, len(model.asked))
	}
	if look := model.asked[0]; look.System != "Look at It is broken." || look.Messages[0].Text != "The customer writes:\n\nIt is broken." {
		t.Errorf("%+v", look)
	}
	if sort := model.asked[1]; sort.System != "Sort It is broken.\n\nThe answer names what comes next:\n- answer\n- work\n- ask" ||
		sort.Messages[len(sort.Messages)-1].Text != "Well?" {
		t.Errorf("%+v", sort)
	}

	model = &listener{answer: "t"}
	read := must(prompts.NewPromptReads(model))
	if _, err := read.Run(t.Context(), prompts.PromptReadsInput{Topic: "otters", Depth: new(3)},
		graphgen.WithPrompt("judge", "Judge {{topic}}, {{depth}} deep, from {{sources}}.")); err != nil {
		t.Fatal(err)
	}
	system, user := model.said()
	if system != "Judge otters, 3 deep, from []." || strings.Contains(user, "topic") || strings.Contains(user, "depth") || !strings.Contains(user, "text:\n") {
		t.Errorf("what a placeholder names is shown no longer: %q\n%q", system, user)
	}

	model = &listener{answer: "t"}
	if _, err := must(prompts.NewPrompts(model)).Run(t.Context(),
		prompts.PromptsInput{Topic: "otters", Hint: new("Hurry."), Mood: new(prompts.PromptsMoodGlad), Sources: []prompts.Source{{URL: "a.example"}}},
		graphgen.WithPromptMessage("fill", "{{mood}} {{hint}} {{sources}}")); err != nil {
		t.Fatal(err)
	}
	if _, user := model.said(); user != "topic:\n```\notters\n```\n\ndepth:\n```json\n2\n```\n\nglad Hurry. [{\"url\":\"a.example\"}]" {
		t.Errorf("%q", user)
	}
}

func TestWrongPrompts(t *testing.T) {
	for name, c := range map[string]struct {
		option graphgen.Option
		want   string
	}{
		"a field that the node does not read": {graphgen.WithPrompt("answer", "About {{answer}}."),
			`graph promptfiles: graphgen.WithPrompt "answer": the node does not read the field of the placeholder "answer", but message, product`},
		"no field": {graphgen.WithPromptMessage("look", "About {{product}}."),
			`graph promptfiles: graphgen.WithPromptMessage "look": the node does not read the field of the placeholder "product", but message`},
		"a placeholder without a name": {graphgen.WithPrompt("answer", "{{}}"),
			`graph promptfiles: graphgen.WithPrompt "answer": the node does not read the field of the placeholder "", but message, product`},
		"a placeholder that is not closed": {graphgen.WithPrompt("answer", "About {{message."),
			`graph promptfiles: graphgen.WithPrompt "answer": a placeholder is not closed; {{{{ is the text of the braces`},
		"an opening within a placeholder": {graphgen.WithPrompt("answer", "{{mess {{message}}"),
			`graph promptfiles: graphgen.WithPrompt "answer": a placeholder is not closed; {{{{ is the text of the braces`},
		"an empty text": {graphgen.WithPrompt("answer", " \n"),
			`graph promptfiles: graphgen.WithPrompt "answer": the text is empty`},
		"a node that there is not": {graphgen.WithPrompt("anwser", "Go on."),
			`graph promptfiles: graphgen.WithPrompt "anwser": the graph has no node of that name that asks a model by instructions`},
		"a node that asks no model": {graphgen.WithPrompt("ask", "Go on."),
			`graph promptfiles: graphgen.WithPrompt "ask": the graph has no node of that name that asks a model by instructions`},
		"a graph within a node that runs no graph": {graphgen.WithPrompt("work/ask", "Go on."),
			`graph promptfiles: graphgen.WithPrompt "work/ask": the graph has no node of that name that asks a model by instructions`},
	} {
		t.Run(name, func(t *testing.T) {
			model := &listener{}
			var wrong *graphgen.ConfigError
			if _, err := promptfiles.NewPromptfiles(struct {
				promptfiles.PromptfilesHandlers
			}{}, model, c.option); !errors.As(err, &wrong) || err.Error() != c.want {
				t.Errorf("the constructor returns %v", err)
			}
			m := must(promptfiles.NewPromptfiles(struct {
				promptfiles.PromptfilesHandlers
			}{}, model))
			var report graphgen.Report
			var kinds []string
			_, err := m.Run(t.Context(), promptfiles.PromptfilesInput{}, c.option, graphgen.WithReport(&report),
				graphgen.WithObserver(func(e graphgen.Event) { kinds = append(kinds, e.Kind.String()) }))
			if !errors.As(err, &wrong) || err.Error() != c.want || len(model.asked) > 0 || report.Reason != graphgen.Failed || report.Steps != 0 {
				t.Errorf("Run returns %v, after %d calls, with the report %+v", err, len(model.asked), report)
			}
			if got := strings.Join(kinds, " "); got != "run_start run_end" {
				t.Errorf("events %s", got)
			}
			if _, err := m.Run(t.Context(), promptfiles.PromptfilesInput{}); err != nil {
				t.Errorf("the next run fails: %v", err)
			}
		})
	}
}

// TestPromptVersions holds that a report and events have the versions of prompts, and that equal texts have
// equal versions.
func TestPromptVersions(t *testing.T) {
	versions := func(options ...graphgen.RunOption) map[string]graphgen.PromptCount {
		t.Helper()
		model := &listener{answer: "Plug it in."}
		m := must(promptfiles.NewPromptfiles(struct {
			promptfiles.PromptfilesHandlers
		}{}, model))
		var report graphgen.Report
		var started, ended []string
		options = append(options, graphgen.WithReport(&report), graphgen.WithObserver(func(e graphgen.Event) {
			switch e.Kind {
			case graphgen.ModelStart:
				started = append(started, e.Model().Prompt)
			case graphgen.ModelEnd:
				ended = append(ended, e.Model().Prompt)
			}
		}))
		if _, err := m.Run(t.Context(), promptfiles.PromptfilesInput{Message: "It is broken."}, options...); err != nil {
			t.Fatal(err)
		}
		found := map[string]graphgen.PromptCount{}
		for i, p := range report.Prompts {
			if found[p.Node] = p; len(p.Version) != 12 || p.ModelCalls != 1 || started[i] != p.Version || ended[i] != p.Version {
				t.Errorf("%+v, events %v and %v", p, started, ended)
			}
		}
		return found
	}
	plain := versions()
	if len(plain) != 3 || plain["answer"].Replaced || plain["answer"].Version == plain["sort"].Version || plain["sort"].Purpose != chat.Choose {
		t.Errorf("%v", plain)
	}
	other := versions(graphgen.WithPrompt("answer", "Be quick."))
	if other["answer"].Version == plain["answer"].Version || !other["answer"].Replaced || other["sort"] != plain["sort"] {
		t.Errorf("%v", other)
	}
	if message := versions(graphgen.WithPromptMessage("answer", "Be quick.")); message["answer"].Version == other["answer"].Version {
		t.Error("a message has the version of instructions")
	}
	same := versions(graphgen.WithPrompt("answer", "\ufeff# How to answer\r\n\r\nBe short. Braces are {{{{these}}.\r\n"),
		graphgen.WithPromptMessage("answer", "The customer writes:\n\n{{message}}"))
	if same["answer"].Version != plain["answer"].Version || !same["answer"].Replaced {
		t.Errorf("equal texts have the versions %v and %v", same["answer"], plain["answer"])
	}
}

// TestPromptVersionsOfBranches holds that the calls of branches are counted, and those of a judge and an
// eval by what their author wrote.
func TestPromptVersionsOfBranches(t *testing.T) {
	var report graphgen.Report
	m := must(branchprompt.NewBranchPanel(struct {
		branchprompt.BranchPanelHandlers
	}{}, &listener{answer: "So."}))
	if _, err := m.Run(t.Context(), branchprompt.BranchPanelInput{Topic: "otters"}, graphgen.WithReport(&report),
		graphgen.WithPromptMessage("reply", "Say {{topic}}.")); err != nil {
		t.Fatal(err)
	}
	calls := map[string]int{}
	for _, p := range report.Prompts {
		calls[p.Node] += p.ModelCalls
		if p.Replaced != (p.Node == "reply") {
			t.Errorf("%+v", p)
		}
	}
	if calls["claim"] != 1 || calls["reply"] != 1 || calls["conclude"] != 1 {
		t.Errorf("%+v", report.Prompts)
	}
}

// TestPromptsWithin replaces prompts of the graph of a subgraph.
func TestPromptsWithin(t *testing.T) {
	for _, ofMachine := range []bool{true, false} {
		model := &listener{answer: "Ten."}
		price := chat.Priced(model, chat.Price{Input: 1})
		quote := must(budget.NewQuote(price))
		within := graphgen.WithPrompt("within/ask", "Name any price.")
		var options []graphgen.RunOption
		errand := must(budget.NewErrand(price, quote))
		if ofMachine {
			errand = must(budget.NewErrand(price, quote, within))
		} else {
			options = append(options, within)
		}
		var report graphgen.Report
		if _, err := errand.Run(t.Context(), budget.ErrandInput{}, append(options, graphgen.WithReport(&report))...); err != nil {
			t.Fatal(err)
		}
		if system, _ := model.said(); system != "Name any price." || len(report.Nested) != 1 || !report.Nested[0].Report.Prompts[0].Replaced {
			t.Errorf("the graph within is asked %q", system)
		}
		calls := len(model.asked)
		_, err := errand.Run(t.Context(), budget.ErrandInput{}, graphgen.WithPrompt("within/aks", "Name any price."))
		if wrong, ok := errors.AsType[*graphgen.ConfigError](err); !ok || wrong.Graph != "quote" || len(model.asked) != calls+1 {
			t.Errorf("%v, after %d calls", err, len(model.asked)-calls)
		}
	}
}

// TestPromptsOfAddedNodes holds that copies of a template have the texts that replace its own, and that a
// prompt that a model wrote has a version.
func TestPromptsOfAddedNodes(t *testing.T) {
	asked := map[string]string{}
	model := chat.ModelFunc(func(ctx context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		node := graphgen.Info(ctx).Node
		asked[node] = req.Messages[len(req.Messages)-1].Text
		answer := "t"
		switch {
		case node == "plan" && len(asked) == 1:
			answer = `{"text":"a","_graph_action":"add_node","_node_config":{"name":"copy","template":"ask","after":"plan"}}`
		case node == "draft":
			answer = "Otters."
		case node == "critic":
			answer = `{"score":4,"_graph_action":"add_node","_node_config":{"name":"habitat","kind":"prompt","instructions":"Where ` +
				`do {{topic}} live?","writes":"comment","after":"critic","next":"publish"}}`
		}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: answer}}, nil
	})
	type tools struct {
		mutationmodel.MutationmodelTools
	}
	var report graphgen.Report
	m := must(mutationmodel.NewMutationmodel(mutating{}, tools{}, model))
	if _, err := m.Run(t.Context(), mutationmodel.MutationmodelInput{Topic: "otters"}, graphgen.WithReport(&report),
		graphgen.WithPromptMessage("ask", "Ask about {{topic}}!")); err != nil {
		t.Fatal(err)
	}
	if asked["copy"] != "Ask about otters!" || asked["habitat"] != "Where do otters live?" {
		t.Errorf("%q", asked)
	}
	found := map[string]graphgen.PromptCount{}
	for _, p := range report.Prompts {
		found[p.Node] = p
	}
	if !found["copy"].Replaced || found["plan"].Replaced || found["habitat"].Replaced || len(found["habitat"].Version) != 12 {
		t.Errorf("%+v", report.Prompts)
	}
}

// mutating has the handlers of mutationmodel.
type mutating struct{}

func (mutating) Gather(context.Context, mutationmodel.MutationmodelGatherIn) (out mutationmodel.MutationmodelGatherOut, err error) {
	return out, nil
}

func (mutating) Publish(mutationmodel.MutationmodelPublishIn) (out mutationmodel.MutationmodelPublishOut, err error) {
	return out, nil
}

// TestPromptsOfResumedRuns holds that a resumed run has the texts of its first call, and those of the
// options that resume it; and that it refuses a text that does not fit.
func TestPromptsOfResumedRuns(t *testing.T) {
	pause := func(model chat.Model, options ...graphgen.RunOption) (*promptfiles.Promptfiles, *graphgen.Pause) {
		t.Helper()
		m := must(promptfiles.NewPromptfiles(struct {
			promptfiles.PromptfilesHandlers
		}{}, model))
		_, err := m.Run(t.Context(), promptfiles.PromptfilesInput{Message: "It is broken."}, options...)
		paused := graphgen.AsPause(err)
		if paused == nil {
			t.Fatal(err)
		}
		return m, paused
	}
	model := &listener{route: "ask"}
	m, paused := pause(model, graphgen.WithPrompt("sort", "Choose well."))
	if sort := model.asked[1].System; !strings.HasPrefix(sort, "Choose well.") {
		t.Errorf("%q", sort)
	}
	_, err := m.Resume(t.Context(), paused, promptfiles.AnswerPromptfilesAsk("Plug it in."), graphgen.WithPrompt("sort", "{{gone}}"))
	if wrong, ok := errors.AsType[*graphgen.ConfigError](err); !ok || !strings.Contains(wrong.Why, `"gone"`) {
		t.Errorf("%v", err)
	}
	m, paused = pause(&listener{route: "ask"})
	out, err := m.Resume(t.Context(), paused, promptfiles.AnswerPromptfilesAsk("Plug it in."), graphgen.WithPrompt("sort", "Choose."))
	if err != nil || out.Answer != "Plug it in." {
		t.Error(out, err)
	}
}

// TestVersionsOfJudges holds that the calls of judges and evals have the versions of what their author
// wrote.
func TestVersionsOfJudges(t *testing.T) {
	model := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		answer := "A text."
		if req.Purpose == chat.Judge {
			answer = `{"choice":"none"}`
		}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: answer}}, nil
	})
	versions := func(urgent bool) map[chat.Purpose]graphgen.PromptCount {
		var report graphgen.Report
		m := must(judged.NewJudged(judging{}, model))
		if _, err := m.Run(t.Context(), judged.JudgedInput{Topic: "otters", Urgent: urgent}, graphgen.WithReport(&report)); err != nil {
			t.Fatal(err)
		}
		found := map[chat.Purpose]graphgen.PromptCount{}
		for _, p := range report.Prompts {
			found[p.Purpose] = p
		}
		return found
	}
	first, second := versions(false), versions(false)
	if first[chat.Judge] != second[chat.Judge] || first[chat.Judge].Version == "" || first[chat.Judge].Version == first[chat.Answer].Version {
		t.Errorf("%v, then %v", first, second)
	}
}

type judging struct{}

func (judging) Publish(context.Context, judged.JudgedPublishIn) error { return nil }
func (judging) Archive(context.Context, judged.JudgedArchiveIn) error { return nil }
