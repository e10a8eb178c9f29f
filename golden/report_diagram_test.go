package golden_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/gen/diagram"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/golden/replay"
	"github.com/graphgen/graphgen/golden/review"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/link"
)

// drawn is the graph of a spec as graphgen diagram draws it.
func drawn(t *testing.T, file string) string {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	g, _ := spec.Load(filepath.Base(file), source)
	link.New(dir, os.ReadFile, nil).Link(g)
	check.Run(cfg.Of(g))
	return string(diagram.Mermaid(plan.Lower(cfg.Of(g), "golden")))
}

// critic is the work of the graph review: the article is never good.
type critic struct{ review.ReviewHandlers }

func (critic) Draft(context.Context, review.ReviewDraftIn) (out review.ReviewDraftOut, err error) {
	return out, nil
}

func (critic) Critic(context.Context, review.ReviewCriticIn) (review.Verdict, error) {
	return review.Verdict{Score: 1}, nil
}

func (critic) Publish(context.Context, review.ReviewPublishIn) error { return nil }

func TestReportDiagram(t *testing.T) {
	var of = map[string]func(graphgen.RunOption){
		"review/review.graph.yaml": func(report graphgen.RunOption) {
			m, err := review.NewReview(critic{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Run(t.Context(), review.ReviewInput{}, report); err != nil {
				t.Fatal(err)
			}
		},
		"human/human.graph.yaml": func(report graphgen.RunOption) {
			_, err := newPeople(t, newsroom{}).Run(t.Context(), otters, report)
			pause(t, err)
		},
		"replay/replay.graph.yaml": func(report graphgen.RunOption) {
			m, err := replay.NewReplay(start{}, answering("yes"), new(replay.Part))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Run(t.Context(), replay.ReplayInput{}, report); !errors.Is(err, errNothing) {
				t.Fatal(err)
			}
		},
	}
	for file, run := range of {
		var report graphgen.Report
		run(graphgen.WithReport(&report))
		if got, want := report.Diagram(), drawn(t, file); got != want {
			t.Errorf("%s: the report draws\n%s\nand the command\n%s", file, got, want)
		}
	}
}

var errNothing = errors.New("nothing")

// start is the work of the graph replay up to where it begins.
type start struct{ replay.ReplayHandlers }

func (start) Start(context.Context, replay.ReplayState) (replay.ReplayStartGoto, error) {
	return replay.ReplayStartGotoPlain, nil
}

func (start) Plain(context.Context) (out replay.ReplayPlainOut, err error) { return out, errNothing }

func (start) Rescue(context.Context) (out replay.ReplayRescueOut, err error) { return out, errNothing }

func TestTheLabelOfAnEdgeIsTold(t *testing.T) {
	m, err := review.NewReview(critic{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	var report graphgen.Report
	_, err = m.Run(t.Context(), review.ReviewInput{}, graphgen.WithReport(&report), graphgen.WithObserver(func(e graphgen.Event) {
		if r := e.Route(); r.Label != "" {
			told = append(told, e.Kind.String()+" "+e.Node+" "+r.To+": "+r.Label)
		}
	}))
	if err != nil || strings.Join(told, ", ") != "route critic publish: good enough" {
		t.Errorf("told of %q: %v", told, err)
	}
	labels := 0
	for _, w := range report.Transitions {
		if w.Label != "" {
			labels++
		}
		if w.Label == "good enough" && w.Count != 1 {
			t.Errorf("the report has %+v", w)
		}
	}
	if labels != 1 || !strings.Contains(report.Diagram(), `|"good enough"|`) {
		t.Errorf("%d ways have a label, and the diagram is\n%s", labels, report.Diagram())
	}
	unmatched := &graphgen.NoEdgeMatchedError{Candidates: []graphgen.Candidate{{To: "publish", Label: "good enough", Why: "if out.Good: not so"}}}
	if want := `no edge matched: → publish (:0:0) "good enough" if out.Good: not so`; unmatched.Error() != want {
		t.Errorf("the error is %q", unmatched)
	}
}
