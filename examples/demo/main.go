// Command demo runs every example on real files, without a network or a key, and prints
// the path each run took, what it gave, and its report.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen/examples/assistant"
	"github.com/graphgen/graphgen/examples/fallback"
	"github.com/graphgen/graphgen/examples/fixloop"
	"github.com/graphgen/graphgen/examples/research"
	"github.com/graphgen/graphgen/examples/toolrouter"
	"github.com/graphgen/graphgen/examples/triage"
	graphrt "github.com/graphgen/graphgen/runtime"
)

// An example runs a graph and returns what a person would call its result.
type example struct {
	name, what string
	run        func(ctx context.Context, temp string, watch graphrt.Option) (string, error)
}

var examples = []example{
	{"research", "plan, act, think, reflect: which packages here have no test?", runResearch},
	{"fixloop", "implement and test: go vet on a broken file until it is clean", runFixloop},
	{"triage", "read real test output, and file an issue if it is new and bad", runTriage},
	{"assistant", "classify, use tools, respond, until somebody says bye", runAssistant},
	{"toolrouter", "a router decides at every turn which tool comes next", runToolrouter},
	{"fallback", "retries, a mirror, and a failure that is passed over", runFallback},
}

func main() {
	failed := 0
	for _, e := range examples {
		if err := show(e); err != nil {
			failed++
			fmt.Printf("  FAILED      %v\n", err)
		}
	}
	fmt.Printf("\n%d examples ran, %d failed\n", len(examples), failed)
	if failed > 0 {
		os.Exit(1)
	}
}

func show(e example) error {
	temp, err := os.MkdirTemp("", "graphgen-"+e.name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	fmt.Printf("\n%s: %s\n", e.name, e.what)
	var report graphrt.Report
	result, err := e.run(context.Background(), temp, graphrt.ReportTo(&report))
	if err != nil {
		return err
	}
	printReport(result, &report)
	if report.Reason != graphrt.Completed {
		return fmt.Errorf("the run ended as %v, not completed", report.Reason)
	}
	return nil
}

func printReport(result string, r *graphrt.Report) {
	var path []string
	for _, v := range r.Path {
		step := v.Node
		if v.Visit > 1 {
			step += fmt.Sprintf("(%d)", v.Visit)
		}
		path = append(path, step)
	}
	never := 0
	for _, w := range r.Ways {
		if w.Count == 0 {
			never++
		}
	}
	fmt.Printf("  path        %s\n", strings.Join(path, " → "))
	fmt.Printf("  result      %s\n", strings.ReplaceAll(result, "\n", "\n              "))
	fmt.Printf("  report      %v after %d steps; %d retries, %d cache hits, %d skipped; %d of %d ways never taken\n",
		r.Reason, r.Steps, r.Retries, r.CacheHits, r.Skips, never, len(r.Ways))
	for _, f := range r.Failures {
		fmt.Printf("  failure     %v (soft %v, cleared %v)\n", f.Err, f.Soft, f.Cleared)
	}
}

// root is where the examples are: the folder of this module.
func root() string {
	for _, dir := range []string{".", "..", "examples"} {
		if _, err := os.Stat(filepath.Join(dir, "research", "research.go")); err == nil {
			return dir
		}
	}
	return "."
}

func runResearch(ctx context.Context, _ string, watch graphrt.Option) (string, error) {
	m, err := research.NewResearch(research.Agent{})
	if err != nil {
		return "", err
	}
	out, err := m.Run(ctx, research.ResearchInput{Root: filepath.Join(root(), "..")}, watch)
	return out.Answer, err
}

func runFixloop(ctx context.Context, temp string, watch graphrt.Option) (string, error) {
	if err := fixloop.NewModule(temp); err != nil {
		return "", err
	}
	m, err := fixloop.NewFixloop(fixloop.Workshop{})
	if err != nil {
		return "", err
	}
	out, err := m.Run(ctx, fixloop.FixloopInput{Dir: temp}, watch)
	return fmt.Sprintf("passed: %v; %s", out.Passed, strings.Join(out.Changes, ", ")), err
}

// failing is a package with a test of every severity.
const failing = `package fixture

import "testing"

func TestSum(t *testing.T)     { t.Error("1 + 1 is 3") }
func TestKnown(t *testing.T)   { t.Error("known since spring") }
func TestSkipped(t *testing.T) { t.Skip("no weather today") }
func TestFine(t *testing.T)    {}
`

func runTriage(ctx context.Context, temp string, watch graphrt.Option) (string, error) {
	for name, text := range map[string]string{"go.mod": "module fixture\n\ngo 1.26\n", "fixture_test.go": failing} {
		if err := os.WriteFile(filepath.Join(temp, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	m, err := triage.NewTriage(triage.Desk{})
	if err != nil {
		return "", err
	}
	out, err := m.Run(ctx, triage.TriageInput{Dir: temp, Known: []string{"TestKnown"}}, watch)
	if err != nil {
		return "", err
	}
	issue, err := os.ReadFile(out.Issue)
	return out.Notice + "\n" + strings.TrimSpace(string(issue)), err
}

// runAssistant watches its run: Stream is Run with its events.
func runAssistant(ctx context.Context, _ string, watch graphrt.Option) (string, error) {
	m, err := assistant.NewAssistant(assistant.Helper{})
	if err != nil {
		return "", err
	}
	in := assistant.AssistantInput{
		Root:  filepath.Join(root(), "assistant"),
		Inbox: []string{"hello", "how long is assistant.go?", "and assist.yaml?", "bye"},
	}
	chosen := 0
	var out assistant.AssistantOutput
	for e, err := range m.Stream(ctx, in, watch) {
		if err != nil {
			return "", err
		}
		if e.Kind == graphrt.Routed && e.Node == "classify" {
			chosen++
		}
		if last, ok := graphrt.Output[assistant.AssistantOutput](e); ok {
			out = last
		}
	}
	return fmt.Sprintf("%s (%d messages)", strings.Join(out.Replies, "; "), chosen), nil
}

func runToolrouter(ctx context.Context, _ string, watch graphrt.Option) (string, error) {
	m, err := toolrouter.NewToolrouter(toolrouter.Tools{})
	if err != nil {
		return "", err
	}
	out, err := m.Run(ctx, toolrouter.ToolrouterInput{Root: filepath.Join(root(), "..", "runtime"), Word: "panic"}, watch)
	return out.Answer, err
}

func runFallback(ctx context.Context, temp string, watch graphrt.Option) (string, error) {
	source := filepath.Join(temp, "news.txt")
	if err := os.WriteFile(source, []byte("otters have moved in"), 0o644); err != nil {
		return "", err
	}
	m, err := fallback.NewFallback(&fallback.Source{Busy: 2})
	if err != nil {
		return "", err
	}
	// The mirror cannot be written: its folder does not exist. That is passed over.
	out, err := m.Run(ctx, fallback.FallbackInput{Source: source, Mirror: filepath.Join(temp, "missing", "news.txt")}, watch)
	return fmt.Sprintf("%d words from the %s; log: %v", out.Words, out.Origin, out.Log), err
}
