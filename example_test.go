package graphgen_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/review"
)

// desk has the handlers of the graph review: its critic is content with the second draft.
type desk struct{ drafts int }

func (d *desk) Draft(_ context.Context, in review.ReviewDraftIn) (review.ReviewDraftOut, error) {
	d.drafts++
	return review.ReviewDraftOut{Article: fmt.Sprintf("%s, draft %d", in.Topic, d.drafts)}, nil
}

func (d *desk) Critic(ctx context.Context, _ review.ReviewCriticIn) (review.Verdict, error) {
	return review.Verdict{Score: 2 * graphgen.Info(ctx).Visit}, nil
}

func (d *desk) Publish(ctx context.Context, _ review.ReviewPublishIn) error {
	if graphgen.IdempotencyKey(ctx) == "" {
		return errors.New("there is no run")
	}
	return nil
}

// A run takes its input and options, and returns its output.
func Example() {
	m, err := review.NewReview(&desk{})
	if err != nil {
		panic(err)
	}
	out, err := m.Run(context.Background(), review.ReviewInput{Topic: "Go"})
	fmt.Println(out.Article, err)
	// Output: Go, draft 2 <nil>
}

// The events of a run are an iterator. Output returns what Run would.
func Example_stream() {
	m, err := review.NewReview(&desk{})
	if err != nil {
		panic(err)
	}
	s := m.Stream(context.Background(), review.ReviewInput{Topic: "Go"})
	for e := range s.Events() {
		if e.Kind == graphgen.NodeEnd {
			fmt.Println(e.Step, e.Node)
		}
	}
	out, err := s.Output()
	fmt.Println(out.Article, err)
	// Output:
	// 1 draft
	// 2 critic
	// 3 draft
	// 4 critic
	// 5 publish
	// Go, draft 2 <nil>
}

func ExampleWithReport() {
	m, err := review.NewReview(&desk{})
	if err != nil {
		panic(err)
	}
	var report graphgen.Report
	if _, err := m.Run(context.Background(), review.ReviewInput{Topic: "Go"}, graphgen.WithReport(&report)); err != nil {
		panic(err)
	}
	fmt.Println(report.Reason, report.Steps, report.NodePath())
	// Output: completed 5 [draft critic draft critic publish]
}

// A governing hook ends the run by an error.
func ExampleWithHook() {
	m, err := review.NewReview(&desk{})
	if err != nil {
		panic(err)
	}
	permit := graphgen.Hook{Name: "permit", Governing: true, Before: func(_ context.Context, e graphgen.Event) error {
		if e.Node == "publish" {
			return errors.New("publishing is closed")
		}
		return nil
	}}
	_, err = m.Run(context.Background(), review.ReviewInput{Topic: "Go"}, graphgen.WithHook(permit))
	if hook, ok := errors.AsType[*graphgen.HookError](err); ok {
		fmt.Println(hook.Hook, "before", hook.Where.Node+":", hook.Err)
	}
	// Output: permit before publish: publishing is closed
}

// The state of a failed run is what the nodes before the failure have committed.
func ExampleStateOf() {
	m, err := review.NewReview(&desk{})
	if err != nil {
		panic(err)
	}
	var stop graphgen.Stopper
	watch := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.NodeEnd {
			stop.Stop()
		}
	})
	_, err = m.Run(context.Background(), review.ReviewInput{Topic: "Go"}, graphgen.WithStopper(&stop), watch)
	state, _ := graphgen.StateOf[review.ReviewState](err)
	fmt.Println(state.Article, errors.As(err, new(*graphgen.StopError)))
	// Output: Go, draft 1 true
}

// A test of a graph runs it with handlers of its own, and compares the path.
func Example_testing() {
	m, err := review.NewReview(&desk{drafts: 4})
	if err != nil {
		panic(err)
	}
	var report graphgen.Report
	out, err := m.Run(context.Background(), review.ReviewInput{Topic: "Go"}, graphgen.WithReport(&report))
	if err != nil || out.Article != "Go, draft 6" {
		fmt.Println(out, err)
	}
	if want := []string{"draft", "critic", "draft", "critic", "publish"}; !slices.Equal(report.NodePath(), want) {
		fmt.Println("the path is", report.NodePath())
	}
	// Output:
}
