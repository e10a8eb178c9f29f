package optiontable_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
	graphslog "github.com/graphgen/graphgen/contrib/slog"
	"github.com/graphgen/graphgen/golden/review"
	"github.com/graphgen/graphgen/hooks"
	. "github.com/graphgen/graphgen/internal/testing/optiontable"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/runtime/driver"
	"github.com/graphgen/graphgen/thread"
)

// A row is an option, with a use of it as code writes it, which tells its type, and a value that is right. It is an error in some of the places that
// take its type, and with wrong values.
type row struct {
	name  string
	code  string
	right any
	of    string // the letters of the places that take its type
	not   string // the letters of those of them where it is an error
	wrong options
}

type options = map[string]any

// The letters of the places that take the types of options.
const (
	everywhere = "CNRSVAT" // graphgen.Option
	calls      = "RSVAT"   // graphgen.CallOption
	runs       = "RS"      // graphgen.RunOption
	resumes    = "AT"      // graphgen.ResumeOption
	threads    = "C"       // thread.Option
)

// of returns an option as a place takes it.
func of[O any](option any) O {
	o, _ := option.(O)
	return o
}

// The places: their letters, and how a machine is given an option there.
var places = []struct {
	letter string
	name   string
	give   func(*testing.T, any) error
}{
	{"C", "the constructor", func(_ *testing.T, o any) error {
		_, err := NewJourney(talker{}, new(Luggage), of[thread.Option](o))
		return err
	}},
	{"N", "the constructor of a graph that is not durable", func(_ *testing.T, o any) error {
		_, err := review.NewReview(new(critic), of[graphgen.Option](o))
		return err
	}},
	{"R", "Run", func(t *testing.T, o any) error {
		_, err := journey(t).Run(t.Context(), bonn, of[graphgen.RunOption](o))
		return unlessPaused(err)
	}},
	{"R", "Stream", func(t *testing.T, o any) error {
		_, err := journey(t).Stream(t.Context(), bonn, of[graphgen.RunOption](o)).Output()
		return unlessPaused(err)
	}},
	{"S", "Start", func(t *testing.T, o any) error {
		_, err := journey(t, thread.In(thread.NewMemory())).Thread("t").Start(t.Context(), bonn, of[graphgen.RunOption](o))
		return unlessPaused(err)
	}},
	{"V", "Recover", func(t *testing.T, o any) error {
		stopper := new(graphgen.Stopper)
		one := journey(t, thread.In(thread.NewMemory())).Thread("t")
		stopper.Stop()
		_, err := one.Start(t.Context(), bonn, graphgen.WithStopper(stopper))
		if run, ok := errors.AsType[*graphgen.RunError](err); !ok || run.Reason != graphgen.Stopped {
			t.Fatal(err)
		}
		_, err = one.Recover(t.Context(), of[graphgen.CallOption](o))
		return unlessPaused(err)
	}},
	{"A", "Resume", func(t *testing.T, o any) error {
		m := journey(t)
		_, err := m.Run(t.Context(), bonn)
		p := pauseOf(t, err)
		_, err = m.Resume(t.Context(), p, AnswerJourneyAgree(graphgen.Approve), of[graphgen.ResumeOption](o))
		if err = unlessPaused(err); err != nil { // the run waits as before
			if _, again := m.Resume(t.Context(), p, AnswerJourneyAgree(graphgen.Approve)); again != nil {
				t.Errorf("after the error: %v", again)
			}
		}
		return err
	}},
	{"A", "Resume with an answer in JSON", func(t *testing.T, o any) error {
		m := journey(t)
		_, err := m.Run(t.Context(), bonn)
		p := pauseOf(t, err)
		_, err = m.Resume(t.Context(), p, approval(p), of[graphgen.ResumeOption](o))
		return unlessPaused(err)
	}},
	{"A", "Resume behind a node", func(t *testing.T, o any) error {
		m := journey(t, graphgen.WithInterruptAfter("pack"))
		_, err := m.Run(t.Context(), bonn)
		_, err = m.Resume(t.Context(), pauseOf(t, err), AnswerJourneyAgree(graphgen.Approve))
		_, err = m.Resume(t.Context(), pauseOf(t, err), ContinueJourney(), of[graphgen.ResumeOption](o))
		return unlessPaused(err)
	}},
	{"T", "Resume of a thread", func(t *testing.T, o any) error {
		one := journey(t, thread.In(thread.NewMemory())).Thread("t")
		_, err := one.Start(t.Context(), bonn)
		answer := approval(pauseOf(t, err))
		if _, err = one.Resume(t.Context(), answer, of[graphgen.ResumeOption](o)); err != nil { // the thread waits as before
			if _, again := one.Resume(t.Context(), answer); again != nil {
				t.Errorf("after the error: %v", again)
			}
		}
		return err
	}},
}

// bonn is the input of the runs.
var bonn = JourneyInput{To: "Bonn"}

func approval(p *graphgen.Pause) graphgen.Answer[Journey] {
	return graphgen.AnswerJSON[Journey](p.Requests[0].ID, []byte(`"approve"`))
}

type talker struct{}

func (talker) Generate(_ context.Context, _ *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "well"}}, nil
}

func (talker) Unpriced(string) string { return "" }

func (talker) Tools(context.Context) ([]chat.Tool, error) { return nil, nil }

type critic struct{ review.ReviewHandlers }

// seal is a sealer that has no keys.
type seal struct{ thread.Sealer }

// idle is a scheduler that drives nothing.
type idle struct{}

func (idle) Go(context.Context, func(context.Context)) {}
func (idle) Wait(context.Context, func() bool)         {}

func journey(t *testing.T, options ...thread.Option) *Journey {
	t.Helper()
	luggage, err := NewLuggage(talker{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewJourney(talker{}, luggage, options...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// unlessPaused returns an error that is no pause.
func unlessPaused(err error) error {
	if graphgen.AsPause(err) != nil {
		return nil
	}
	return err
}

func pauseOf(t *testing.T, err error) *graphgen.Pause {
	t.Helper()
	p := graphgen.AsPause(err)
	if p == nil {
		t.Fatal(err)
	}
	return p
}

var (
	recorder = record.New(io.Discard)

	memory = thread.NewMemory()
	sameT  = func(f chat.ToolFunc) chat.ToolFunc { return f }
	sameM  = func(m chat.Model) chat.Model { return m }
	key    = func(*JourneyState) string { return "" }
	nan    = math.NaN()
)

// rows has every option of the packages of the runtime and of contrib/slog.
var rows = []row{
	{"graphgen.Options", `graphgen.Options()`, graphgen.Options(), everywhere, "", options{"a nil option": graphgen.Options(nil), "itself nil": nil}},
	{"graphgen.WithObserver", `graphgen.WithObserver(nil)`, graphgen.WithObserver(func(graphgen.Event) {}), everywhere, "",
		options{"nil": graphgen.WithObserver(nil)}},
	{"graphgen.WithHook", `graphgen.WithHook(graphgen.Hook{})`,
		graphgen.WithHook(graphgen.Hook{Before: func(context.Context, graphgen.Event) error { return nil }}), everywhere, "",
		options{"no function": graphgen.WithHook(graphgen.Hook{Name: "empty"})}},
	{"graphgen.WithInterruptBefore", `graphgen.WithInterruptBefore("pack")`, graphgen.WithInterruptBefore("pack"), everywhere, "NVT",
		options{"no node": graphgen.WithInterruptBefore("nowhere")}},
	{"graphgen.WithInterruptAfter", `graphgen.WithInterruptAfter("plan")`, graphgen.WithInterruptAfter("plan"), everywhere, "NVT",
		options{"no node": graphgen.WithInterruptAfter("nowhere")}},
	{"graphgen.WithTimings", `graphgen.WithTimings()`, graphgen.WithTimings(), everywhere, "", nil},
	{"graphgen.WithExchanges", `graphgen.WithExchanges()`, graphgen.WithExchanges(), everywhere, "", nil},
	{"driver.With", `driver.With(driver.Driver{})`, driver.With(driver.Driver{}), calls, "SVT",
		options{"a scheduler without a clock": driver.With(driver.Driver{Scheduler: idle{}})}},
	{"graphgen.WithReport", `graphgen.WithReport(nil)`, graphgen.WithReport(new(graphgen.Report)), calls, "", options{"nil": graphgen.WithReport(nil)}},
	{"graphgen.WithFinalState", `graphgen.WithFinalState[optiontable.JourneyState](nil)`, graphgen.WithFinalState(new(JourneyState)), calls, "",
		options{"nil": graphgen.WithFinalState[JourneyState](nil)}},
	{"graphgen.WithPrompt", `graphgen.WithPrompt("", "")`, graphgen.WithPrompt("plan", "Plan it."), everywhere, "N", options{
		"no node": graphgen.WithPrompt("nowhere", "x"), "no model": graphgen.WithPrompt("agree", "x"), "empty": graphgen.WithPrompt("plan", " "),
		"a placeholder": graphgen.WithPrompt("plan", "{{bag}}"),
	}},
	{"graphgen.WithPromptMessage", `graphgen.WithPromptMessage("", "")`, graphgen.WithPromptMessage("plan", "To {{to}}."), everywhere, "N",
		options{"no node": graphgen.WithPromptMessage("nowhere", "x")}},
	{"graphgen.WithModel", `graphgen.WithModel(nil)`, graphgen.WithModel(talker{}), everywhere, "",
		options{"nil": graphgen.WithModel(nil), "a nil pointer": graphgen.WithModel((*talker)(nil))}},
	{"graphgen.WithLightModel", `graphgen.WithLightModel(nil)`, graphgen.WithLightModel(talker{}), everywhere, "",
		options{"nil": graphgen.WithLightModel(nil), "a nil pointer": graphgen.WithLightModel((*talker)(nil))}},
	{"graphgen.WithNamedModel", `graphgen.WithNamedModel("", nil)`,
		graphgen.Options(graphgen.WithNamedModel("big", talker{}), graphgen.WithNamedModel("small", talker{})), everywhere, "N", options{
			"nil": graphgen.WithNamedModel("big", nil), "a nil pointer": graphgen.WithNamedModel("big", (*talker)(nil)),
			"no node": graphgen.WithNamedModel("bigger", talker{}), "no name": graphgen.WithNamedModel("", talker{}),
		}},
	{"graphgen.WithToolbox", `graphgen.WithToolbox(nil)`, graphgen.WithToolbox(talker{}), everywhere, "",
		options{"nil": graphgen.WithToolbox(nil), "a nil pointer": graphgen.WithToolbox((*talker)(nil))}},
	{"graphgen.WithToolWrapper", `graphgen.WithToolWrapper(nil)`, graphgen.WithToolWrapper(sameT), everywhere, "",
		options{"nil": graphgen.WithToolWrapper(nil)}},
	{"graphgen.WithModelWrapper", `graphgen.WithModelWrapper(nil)`, graphgen.WithModelWrapper(sameM), everywhere, "",
		options{"nil": graphgen.WithModelWrapper(nil)}},
	{"graphgen.WithBudgets", `graphgen.WithBudgets(graphgen.Budgets{})`, graphgen.WithBudgets(graphgen.Budgets{ModelCalls: 9}), everywhere, "",
		options{"not a number": graphgen.WithBudgets(graphgen.Budgets{Cost: nan})}},
	{"graphgen.WithTurnCalls", `graphgen.WithTurnCalls(1)`, graphgen.WithTurnCalls(1), everywhere, "",
		options{"negative": graphgen.WithTurnCalls(-3), "zero": graphgen.WithTurnCalls(0)}},
	{"graphgen.WithDryRun", `graphgen.WithDryRun()`, graphgen.WithDryRun(), calls, "", nil},
	{"graphgen.WithRunID", `graphgen.WithRunID("")`, graphgen.WithRunID("r"), runs, "", options{"empty": graphgen.WithRunID("")}},
	{"graphgen.WithStopper", `graphgen.WithStopper(nil)`, graphgen.WithStopper(new(graphgen.Stopper)), everywhere, "",
		options{"nil": graphgen.WithStopper(nil)}},
	{"graphgen.Invalid", `graphgen.Invalid("", "")`, graphgen.Options(), everywhere, "",
		options{"as ever": graphgen.Invalid("mine.Option", "it is mine: leave it out")}},
	{"graphgen.AnsweredBy", `graphgen.AnsweredBy("")`, graphgen.AnsweredBy("ann"), resumes, "", nil},
	{"graphgen.AnswerNote", `graphgen.AnswerNote("")`, graphgen.AnswerNote("fine"), resumes, "", nil},
	{"thread.In", `thread.In(nil)`, thread.In(memory), threads, "", options{"nil": thread.In(nil), "a nil pointer": thread.In((*thread.Memory)(nil))}},
	{"thread.With", `thread.With(thread.Settings{})`, thread.With(thread.Settings{Store: memory}), threads, "", options{
		"no store": thread.With(thread.Settings{}), "a nil sealer": thread.With(thread.Settings{Store: memory, Seal: (*seal)(nil)}),
		"a mode": thread.With(thread.Settings{Store: memory, Mode: 9}), "a lease": thread.With(thread.Settings{Store: memory, Lease: -1}),
		"keep": thread.With(thread.Settings{Store: memory, Keep: -1}), "ahead": thread.With(thread.Settings{Store: memory, Ahead: -1}),
		"snapshot": thread.With(thread.Settings{Store: memory, Snapshot: -1}),
	}},
	{"thread.TakeBack", `thread.TakeBack()`, thread.TakeBack(), runs, "R", nil},
	{"hooks.MaxSteps", `hooks.MaxSteps(9)`, hooks.MaxSteps(9), everywhere, "", options{"negative": hooks.MaxSteps(-1), "zero": hooks.MaxSteps(0)}},
	{"hooks.Log", `hooks.Log(nil)`, hooks.Log(io.Discard, "plan", "pack/fill"), everywhere, "N", options{
		"nil": hooks.Log(nil), "a nil pointer": hooks.Log((*strings.Builder)(nil)), "no node": hooks.Log(io.Discard, "nowhere"),
		"a path to no graph": hooks.Log(io.Discard, "plan/fill"),
	}},
	{"hooks.Cycles", `hooks.Cycles(9)`, hooks.Cycles(9, "plan"), everywhere, "N",
		options{"once": hooks.Cycles(1), "negative": hooks.Cycles(-1), "no node": hooks.Cycles(2, "nowhere")}},
	{"hooks.States", `hooks.States[optiontable.JourneyState](9, nil)`, hooks.States(9, key, "plan"), everywhere, "N", options{
		"once": hooks.States(1, key), "no key": hooks.States[JourneyState](2, nil), "no node": hooks.States(2, key, "nowhere"),
	}},
	{"hooks.Timing.Option", `new(hooks.Timing).Option()`, new(hooks.Timing).Option("plan"), everywhere, "N",
		options{"nil": (*hooks.Timing)(nil).Option(), "no node": new(hooks.Timing).Option("nowhere")}},
	{"hooks.Budget.Option", `new(hooks.Budget).Option()`, hooks.NewBudget(graphgen.Budgets{ModelCalls: 99}).Option(), everywhere, "", options{
		"nil": (*hooks.Budget)(nil).Option(), "not a number": hooks.NewBudget(graphgen.Budgets{Cost: nan}).Option(),
	}},
	{"record.Run", `record.Run(nil, nil)`, record.Run(recorder, talker{}), everywhere, "", options{
		"nil": record.Run(nil, talker{}), "a nil pointer": record.Run((*record.Player)(nil), nil), "no model to record": record.Run(recorder, nil),
	}},
	{"record.Tools", `record.Tools(nil)`, record.Tools(recorder), everywhere, "",
		options{"nil": record.Tools(nil), "a nil pointer": record.Tools((*record.Recorder)(nil))}},
	{"graphslog.Option", `graphslog.Option(nil)`, graphslog.Option(slog.New(slog.DiscardHandler)), everywhere, "",
		options{"nil": graphslog.Option(nil)}},
}

// TestOptions gives every option to every place that takes its type. It works, or it is an error that names it and the remedy.
func TestOptions(t *testing.T) {
	tried := 0
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			for _, r := range rows {
				if !strings.Contains(r.of, p.letter) {
					continue // TestTypesOfOptions has it
				}
				tried++
				if err := p.give(t, r.right); strings.Contains(r.not, p.letter) {
					refused(t, r.name, err)
				} else if err != nil {
					t.Errorf("%s: %v", r.name, err)
				}
				for _, value := range slices.Sorted(maps.Keys(r.wrong)) {
					tried++
					wrong := refused(t, r.name+" ("+value+")", p.give(t, r.wrong[value]))
					if value == "no node" && !strings.Contains(r.not, p.letter) && wrong.Name != "nowhere" && wrong.Name != "bigger" {
						t.Errorf("%s of no node: the error is about %q", r.name, wrong.Name)
					}
				}
			}
		})
	}
	t.Logf("%d options at %d places: %d tries", len(rows), len(places), tried)
}

// refused holds that an error is one of an option, with its name and what to do, and returns it.
func refused(t *testing.T, name string, err error) *graphgen.ConfigError {
	t.Helper()
	wrong, ok := errors.AsType[*graphgen.ConfigError](err)
	if !ok {
		t.Errorf("%s gives the error %v", name, err)
		return new(graphgen.ConfigError)
	}
	option, _, _ := strings.Cut(name, " ")
	if !strings.Contains(wrong.Option, option) && option != "graphgen.Options" && option != "graphgen.Invalid" || wrong.Graph == "" || wrong.Why == "" {
		t.Errorf("%s: %#v", name, wrong)
	}
	for _, part := range []string{wrong.Graph, wrong.Option, wrong.Name, wrong.Why} {
		if text := wrong.Error(); !strings.Contains(text, part) {
			t.Errorf("%s: %s", name, text)
		}
	}
	return wrong
}

// TestOptionsHaveRows finds the functions of the repository that return an option, and holds that each has a row.
func TestOptionsHaveRows(t *testing.T) {
	tested := map[string]bool{
		"graphotel.Observer.Option": true, // of another module, whose test has it
		"durable.Relay.Option":      true, // of a driver, whose runs no program makes: the scenarios that are handed over have it
		"durable.Passing":           true, // of servers: tests of contrib/serve have it
	}
	for _, r := range rows {
		tested[r.name] = true
	}
	found := map[string]bool{}
	files, err := filepath.Glob("../../../*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range append(append(tempmodule.Runtime(t, "../../.."), "../../../contrib"), files...) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains([]string{"internal", "optionset", "oteltest", "engine", "testdata"}, d.Name()):
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, d := range f.Decls {
				if name := optionOf(f, d); name != "" {
					found[name] = true
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range found {
		if !tested[name] {
			t.Errorf("%s has no row", name)
		}
	}
	for name := range tested {
		if !found[name] {
			t.Errorf("%s has a row, and does not exist", name)
		}
	}
}

// optionOf returns the name of an exported function or method whose only result is an option, as code writes it.
func optionOf(f *ast.File, d ast.Decl) string {
	fn, ok := d.(*ast.FuncDecl)
	if !ok || !fn.Name.IsExported() || fn.Type.Results == nil || len(fn.Type.Results.List) != 1 {
		return ""
	}
	result := types.ExprString(fn.Type.Results.List[0].Type)
	if !strings.Contains(result, ".") {
		result = f.Name.Name + "." + result
	}
	if !slices.Contains([]string{"graphgen.Option", "graphgen.RunOption", "graphgen.ResumeOption", "graphgen.CallOption", "thread.Option"}, result) {
		return ""
	}
	name := fn.Name.Name
	if fn.Recv != nil {
		of := fn.Recv.List[0].Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		name = of.(*ast.Ident).Name + "." + name
	}
	return f.Name.Name + "." + name
}

// A caller is a model that counts its calls.
type caller struct {
	talker
	calls int
}

func (c *caller) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	c.calls++
	return c.talker.Generate(ctx, req, stream)
}

// TestNamedModelsOfCalls holds that a run has the named models of its machine and of its calls, also in a graph that it runs, and that a later
// call replaces the model of an earlier one.
func TestNamedModelsOfCalls(t *testing.T) {
	var own, big, small, later caller
	m := journey(t, graphgen.WithNamedModel("big", &own))
	run := func(options ...graphgen.RunOption) {
		t.Helper()
		_, err := m.Run(t.Context(), bonn, options...)
		if _, err = m.Resume(t.Context(), pauseOf(t, err), AnswerJourneyAgree(graphgen.Approve), graphgen.WithNamedModel("small", &later)); err != nil {
			t.Error(err)
		}
	}
	for i, c := range []struct {
		options                []graphgen.RunOption
		own, big, small, later int
	}{
		{nil, 1, 0, 0, 1},
		{[]graphgen.RunOption{graphgen.WithNamedModel("small", &small)}, 2, 0, 0, 2},
		{[]graphgen.RunOption{graphgen.WithNamedModel("big", &big)}, 2, 1, 0, 3},
	} {
		run(c.options...)
		if got := [...]int{own.calls, big.calls, small.calls, later.calls}; got != [...]int{c.own, c.big, c.small, c.later} {
			t.Errorf("run %d: the models are called %v times", i, got)
		}
	}
	_, err := m.Run(t.Context(), bonn, graphgen.WithNamedModel("small", &small))
	if _, err = m.Resume(t.Context(), pauseOf(t, err), AnswerJourneyAgree(graphgen.Approve)); err != nil || own.calls != 3 || small.calls != 1 {
		t.Errorf("%v; the models are called %d and %d times", err, own.calls, small.calls)
	}
}
