package optiontable_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
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
	"github.com/graphgen/graphgen/thread"
)

// A row is an option, with the places where it is wrong though its value is right, and with wrong values.
type row struct {
	name  string
	right graphgen.Option
	not   string // the letters of the places where it is an error
	wrong map[string]graphgen.Option
}

// The places: their letters, and how a machine is given an option there.
var places = []struct {
	letter string
	name   string
	give   func(*testing.T, ...graphgen.Option) error
}{
	{"C", "the constructor", construct},
	{"N", "the constructor of a graph that is not durable", func(t *testing.T, o ...graphgen.Option) error {
		_, err := review.NewReview(new(critic), o...)
		return err
	}},
	{"R", "Run", func(t *testing.T, o ...graphgen.Option) error {
		_, err := journey(t).Run(t.Context(), JourneyInput{To: "Bonn"}, o...)
		return unlessPaused(err)
	}},
	{"R", "Stream", func(t *testing.T, o ...graphgen.Option) error {
		return streamed(journey(t).Stream(t.Context(), JourneyInput{To: "Bonn"}, o...))
	}},
	{"S", "Start", func(t *testing.T, o ...graphgen.Option) error {
		_, err := journey(t, thread.In(thread.NewMemory())).Start(t.Context(), "t", JourneyInput{To: "Bonn"}, o...)
		return unlessPaused(err)
	}},
	{"V", "Recover", func(t *testing.T, o ...graphgen.Option) error {
		store, stopper := thread.NewMemory(), new(graphgen.Stopper)
		m := journey(t, thread.In(store))
		stopper.Stop()
		_, err := m.Start(t.Context(), "t", JourneyInput{To: "Bonn"}, graphgen.WithStopper(stopper))
		if run, ok := errors.AsType[*graphgen.RunError](err); !ok || run.Reason != graphgen.Stopped {
			t.Fatal(err)
		}
		_, err = m.Recover(t.Context(), "t", o...)
		return unlessPaused(err)
	}},
	{"A", "a method that resumes", func(t *testing.T, o ...graphgen.Option) error {
		m := journey(t)
		_, err := m.Run(t.Context(), JourneyInput{To: "Bonn"})
		p := pauseOf(t, err)
		_, err = m.ResumeAgree(t.Context(), p, graphgen.Approve, o...)
		if err = unlessPaused(err); err != nil { // the run waits as before
			if _, again := m.ResumeAgree(t.Context(), p, graphgen.Approve); again != nil {
				t.Errorf("after the error: %v", again)
			}
		}
		return err
	}},
	{"A", "Answer", func(t *testing.T, o ...graphgen.Option) error {
		m := journey(t)
		_, err := m.Run(t.Context(), JourneyInput{To: "Bonn"})
		p := pauseOf(t, err)
		_, err = m.Answer(t.Context(), p, p.ID, []byte(`"approve"`), o...)
		return unlessPaused(err)
	}},
	{"A", "Continue", func(t *testing.T, o ...graphgen.Option) error {
		m := journey(t, graphgen.WithInterruptAfter("pack"))
		_, err := m.Run(t.Context(), JourneyInput{To: "Bonn"})
		_, err = m.ResumeAgree(t.Context(), pauseOf(t, err), graphgen.Approve)
		_, err = m.Continue(t.Context(), pauseOf(t, err), o...)
		return unlessPaused(err)
	}},
	{"T", "an answer in a thread", func(t *testing.T, o ...graphgen.Option) error {
		m := journey(t, thread.In(thread.NewMemory()))
		_, err := m.Start(t.Context(), "t", JourneyInput{To: "Bonn"})
		_, err = m.Answer(t.Context(), m.Thread("t"), pauseOf(t, err).ID, []byte(`"approve"`), o...)
		return err
	}},
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

func journey(t *testing.T, options ...graphgen.Option) *Journey {
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

func construct(_ *testing.T, options ...graphgen.Option) error {
	_, err := NewJourney(talker{}, new(Luggage), options...)
	return err
}

func streamed(events graphgen.Events) (last error) {
	for _, err := range events {
		last = err
	}
	return unlessPaused(last)
}

// unlessPaused returns an error that is no pause.
func unlessPaused(err error) error {
	if _, paused := errors.AsType[*graphgen.InterruptedError](err); paused {
		return nil
	}
	return err
}

func pauseOf(t *testing.T, err error) *graphgen.InterruptedError {
	t.Helper()
	p, ok := errors.AsType[*graphgen.InterruptedError](err)
	if !ok {
		t.Fatal(err)
	}
	return p
}

type options = map[string]graphgen.Option

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
	{"graphgen.Options", graphgen.Options(), "", options{"a nil option": graphgen.Options(nil), "itself nil": nil}},
	{"graphgen.WithObserver", graphgen.WithObserver(func(graphgen.Event) {}), "", options{"nil": graphgen.WithObserver(nil)}},
	{"graphgen.WithHook", graphgen.WithHook(graphgen.Hook{Before: func(context.Context, graphgen.Event) error { return nil }}), "",
		options{"no function": graphgen.WithHook(graphgen.Hook{Name: "empty"})}},
	{"graphgen.WithInterruptBefore", graphgen.WithInterruptBefore("pack"), "NVT", options{"no node": graphgen.WithInterruptBefore("nowhere")}},
	{"graphgen.WithInterruptAfter", graphgen.WithInterruptAfter("plan"), "NVT", options{"no node": graphgen.WithInterruptAfter("nowhere")}},
	{"graphgen.WithTimings", graphgen.WithTimings(), "", nil},
	{"graphgen.WithReport", graphgen.WithReport(new(graphgen.Report)), "CN", options{"nil": graphgen.WithReport(nil)}},
	{"graphgen.WithFinalState", graphgen.WithFinalState(new(JourneyState)), "CN", options{"nil": graphgen.WithFinalState[JourneyState](nil)}},
	{"graphgen.WithPrompt", graphgen.WithPrompt("plan", "Plan it."), "N", options{
		"no node": graphgen.WithPrompt("nowhere", "x"), "no model": graphgen.WithPrompt("agree", "x"), "empty": graphgen.WithPrompt("plan", " "),
		"a placeholder": graphgen.WithPrompt("plan", "{{bag}}"),
	}},
	{"graphgen.WithPromptMessage", graphgen.WithPromptMessage("plan", "To {{to}}."), "N", options{"no node": graphgen.WithPromptMessage("nowhere", "x")}},
	{"graphgen.WithModel", graphgen.WithModel(talker{}), "", options{"nil": graphgen.WithModel(nil), "a nil pointer": graphgen.WithModel((*talker)(nil))}},
	{"graphgen.WithLightModel", graphgen.WithLightModel(talker{}), "",
		options{"nil": graphgen.WithLightModel(nil), "a nil pointer": graphgen.WithLightModel((*talker)(nil))}},
	{"graphgen.WithNamedModel", graphgen.Options(graphgen.WithNamedModel("big", talker{}), graphgen.WithNamedModel("small", talker{})), "N", options{
		"nil": graphgen.WithNamedModel("big", nil), "a nil pointer": graphgen.WithNamedModel("big", (*talker)(nil)),
		"no node": graphgen.WithNamedModel("bigger", talker{}), "no name": graphgen.WithNamedModel("", talker{}),
	}},
	{"graphgen.WithToolbox", graphgen.WithToolbox(talker{}), "",
		options{"nil": graphgen.WithToolbox(nil), "a nil pointer": graphgen.WithToolbox((*talker)(nil))}},
	{"graphgen.WithToolWrapper", graphgen.WithToolWrapper(sameT), "", options{"nil": graphgen.WithToolWrapper(nil)}},
	{"graphgen.WithModelWrapper", graphgen.WithModelWrapper(sameM), "", options{"nil": graphgen.WithModelWrapper(nil)}},
	{"graphgen.WithBudgets", graphgen.WithBudgets(graphgen.Budgets{ModelCalls: 9}), "",
		options{"not a number": graphgen.WithBudgets(graphgen.Budgets{Cost: nan})}},
	{"graphgen.WithTurnCalls", graphgen.WithTurnCalls(1), "", options{"negative": graphgen.WithTurnCalls(-3), "zero": graphgen.WithTurnCalls(0)}},
	{"graphgen.WithDryRun", graphgen.WithDryRun(), "", nil},
	{"graphgen.WithRunID", graphgen.WithRunID("r"), "CNVAT", options{"empty": graphgen.WithRunID("")}},
	{"graphgen.WithStopper", graphgen.WithStopper(new(graphgen.Stopper)), "", options{"nil": graphgen.WithStopper(nil)}},
	{"graphgen.Invalid", graphgen.Options(), "", options{"as ever": graphgen.Invalid("mine.Option", "it is mine: leave it out")}},
	{"graphgen.AnsweredBy", graphgen.AnsweredBy("ann"), "CNRSV", nil},
	{"graphgen.AnswerNote", graphgen.AnswerNote("fine"), "CNRSV", nil},
	{"thread.In", thread.In(memory), "NRA", options{"nil": thread.In(nil), "a nil pointer": thread.In((*thread.Memory)(nil))}},
	{"thread.With", thread.With(thread.Settings{Store: memory}), "NRA", options{
		"no store": thread.With(thread.Settings{}), "a nil sealer": thread.With(thread.Settings{Store: memory, Seal: (*seal)(nil)}),
		"a mode": thread.With(thread.Settings{Store: memory, Mode: 9}), "a lease": thread.With(thread.Settings{Store: memory, Lease: -1}),
		"keep": thread.With(thread.Settings{Store: memory, Keep: -1}), "ahead": thread.With(thread.Settings{Store: memory, Ahead: -1}),
		"snapshot": thread.With(thread.Settings{Store: memory, Snapshot: -1}),
	}},
	{"hooks.MaxSteps", hooks.MaxSteps(9), "", options{"negative": hooks.MaxSteps(-1), "zero": hooks.MaxSteps(0)}},
	{"hooks.Log", hooks.Log(io.Discard, "plan", "pack/fill"), "N", options{
		"nil": hooks.Log(nil), "a nil pointer": hooks.Log((*strings.Builder)(nil)), "no node": hooks.Log(io.Discard, "nowhere"),
		"a path to no graph": hooks.Log(io.Discard, "plan/fill"),
	}},
	{"hooks.Cycles", hooks.Cycles(9, "plan"), "N", options{"once": hooks.Cycles(1), "negative": hooks.Cycles(-1), "no node": hooks.Cycles(2, "nowhere")}},
	{"hooks.States", hooks.States(9, key, "plan"), "N", options{
		"once": hooks.States(1, key), "no key": hooks.States[JourneyState](2, nil), "no node": hooks.States(2, key, "nowhere"),
	}},
	{"hooks.Timing.Option", new(hooks.Timing).Option("plan"), "N",
		options{"nil": (*hooks.Timing)(nil).Option(), "no node": new(hooks.Timing).Option("nowhere")}},
	{"hooks.Budget.Option", hooks.NewBudget(graphgen.Budgets{ModelCalls: 99}).Option(), "", options{
		"nil": (*hooks.Budget)(nil).Option(), "not a number": hooks.NewBudget(graphgen.Budgets{Cost: nan}).Option(),
	}},
	{"record.Run", record.Run(recorder, talker{}), "", options{
		"nil": record.Run(nil, talker{}), "a nil pointer": record.Run((*record.Player)(nil), nil), "no model to record": record.Run(recorder, nil),
	}},
	{"record.Tools", record.Tools(recorder), "", options{"nil": record.Tools(nil), "a nil pointer": record.Tools((*record.Recorder)(nil))}},
	{"graphslog.Option", graphslog.Option(slog.New(slog.DiscardHandler)), "", options{"nil": graphslog.Option(nil)}},
}

// TestOptions gives every option to every place. It works, or it is an error that names it, the place and the remedy.
func TestOptions(t *testing.T) {
	tried := 0
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			for _, r := range rows {
				tried++
				if err := p.give(t, r.right); strings.Contains(r.not, p.letter) {
					refused(t, r.name, err)
				} else if _, wrong := errors.AsType[*graphgen.OptionError](err); wrong || err != nil && !strings.HasPrefix(r.name, "thread.") {
					t.Errorf("%s: %v", r.name, err) // another store has other threads
				}
				for _, value := range slices.Sorted(maps.Keys(r.wrong)) {
					tried++
					refused(t, r.name+" ("+value+")", p.give(t, r.wrong[value]))
				}
			}
		})
	}
	t.Logf("%d options at %d places: %d tries", len(rows), len(places), tried)
}

// refused holds that an error is one of an option, with its name, its place and what to do.
func refused(t *testing.T, name string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s is accepted", name)
		return
	}
	wrong, ok := errors.AsType[*graphgen.OptionError](err)
	if !ok {
		_, prompt := errors.AsType[*graphgen.PromptError](err)
		_, interrupt := errors.AsType[*graphgen.InterruptOptionError](err)
		if !prompt && !interrupt {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	option, _, _ := strings.Cut(name, " ")
	if !strings.Contains(wrong.Option, option) && option != "graphgen.Options" && option != "graphgen.Invalid" || wrong.Graph == "" || wrong.Place == "" {
		t.Errorf("%s: %#v", name, wrong)
	}
	if text := wrong.Error(); !strings.Contains(text, wrong.Option) || !strings.Contains(text, wrong.Place) {
		t.Errorf("%s: %s", name, text)
	}
}

// TestOptionsHaveRows finds the functions of the repository that return an option, and holds that each has a row.
func TestOptionsHaveRows(t *testing.T) {
	tested := map[string]bool{"graphotel.Observer.Option": true} // of another module, whose test has it
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
			case d.IsDir() && slices.Contains([]string{"internal", "oteltest", "engine", "testdata"}, d.Name()):
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
	switch result := fn.Type.Results.List[0].Type.(type) {
	case *ast.Ident:
		if result.Name != "Option" || f.Name.Name != "graphgen" {
			return ""
		}
	case *ast.SelectorExpr:
		if from, ok := result.X.(*ast.Ident); !ok || from.Name != "graphgen" || result.Sel.Name != "Option" {
			return ""
		}
	default:
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
	run := func(options ...graphgen.Option) {
		t.Helper()
		_, err := m.Run(t.Context(), JourneyInput{To: "Bonn"}, options...)
		if _, err = m.ResumeAgree(t.Context(), pauseOf(t, err), graphgen.Approve, graphgen.WithNamedModel("small", &later)); err != nil {
			t.Error(err)
		}
	}
	for i, c := range []struct {
		options                []graphgen.Option
		own, big, small, later int
	}{
		{nil, 1, 0, 0, 1},
		{[]graphgen.Option{graphgen.WithNamedModel("small", &small)}, 2, 0, 0, 2},
		{[]graphgen.Option{graphgen.WithNamedModel("big", &big)}, 2, 1, 0, 3},
	} {
		run(c.options...)
		if got := [...]int{own.calls, big.calls, small.calls, later.calls}; got != [...]int{c.own, c.big, c.small, c.later} {
			t.Errorf("run %d: the models are called %v times", i, got)
		}
	}
	_, err := m.Run(t.Context(), JourneyInput{To: "Bonn"}, graphgen.WithNamedModel("small", &small))
	if _, err = m.ResumeAgree(t.Context(), pauseOf(t, err), graphgen.Approve); err != nil || own.calls != 3 || small.calls != 1 {
		t.Errorf("%v; the models are called %d and %d times", err, own.calls, small.calls)
	}
}
