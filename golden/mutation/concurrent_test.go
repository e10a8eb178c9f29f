package mutation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/mutation"
)

// asker has the first node ask for what the goal of the run says.
type asker struct{}

// A wish is what the first node of a run asks for on its visits, and where the run goes then.
type wish struct {
	asks func(visit int) []mutation.Change
	path string
}

func once(m ...mutation.Change) func(int) []mutation.Change {
	return func(visit int) []mutation.Change {
		if visit > 1 {
			return nil
		}
		return m
	}
}

// wishes are the runs: every one of them goes another way.
func wishes() []wish {
	const rest = "review polish publish"
	goal := "another goal"
	list := []wish{
		{once(), "plan gather draft " + rest},
		{once(MutationSkipTo(MutationDraft)), "plan draft " + rest},
		{once(MutationSkipTo(MutationReview)), "plan " + rest},
		{once(MutationSkipTo(MutationEnd)), "plan"},
		{once(MutationRemoveNode(MutationGather)), "plan draft " + rest},
		{once(MutationRemoveNode(MutationDraft)), "plan gather " + rest},
		{once(MutationRemoveEdge(MutationReview, MutationPolish)), "plan gather draft review choose publish"},
		{once(MutationAddEdge(MutationGather, MutationReview)), "plan gather " + rest},
		{once(MutationAddEdge(MutationReview, MutationPublish)), "plan gather draft review publish"},
		{once(MutationAddCheck("look", MutationGather, MutationReview)), "plan gather look " + rest},
		{once(MutationAddBoth("both_of_them", MutationPlan, MutationEnd)), "plan both_of_them left right gather draft " + rest},
		{once(mutation.SkipTo("ghost")), "plan gather draft " + rest},
	}
	for times := 1; times <= 5; times++ {
		back := "plan " + strings.Repeat("gather draft review ", times+1) + "polish publish"
		list = append(list, wish{once(MutationAddEdge(MutationReview, MutationGather).AtMost(times)), back})
		again := strings.Repeat("plan ", times+1) + "gather draft " + rest
		list = append(list, wish{func(visit int) []mutation.Change {
			if visit > times {
				return nil
			}
			return []mutation.Change{MutationRetryWith(MutationUpdate{Goal: &goal})}
		}, again})
	}
	return list
}

func (a asker) Plan(ctx context.Context, _ MutationPlanIn) (MutationPlanOut, []mutation.Change, error) {
	w := ctx.Value(wishKey{}).(wish)
	return MutationPlanOut{}, w.asks(graphgen.Info(ctx).Visit), nil
}

type wishKey struct{}

func (asker) Gather(context.Context, MutationGatherIn) (MutationGatherOut, error) {
	return MutationGatherOut{}, nil
}

func (asker) Draft(context.Context, MutationDraftIn) (MutationDraftOut, []mutation.Change, error) {
	return MutationDraftOut{}, nil, nil
}

func (asker) Review(context.Context, MutationReviewIn) (MutationReviewOut, []mutation.Change, error) {
	return MutationReviewOut{Score: 2}, nil, nil
}

func (asker) Polish(context.Context, MutationPolishIn) (MutationPolishOut, error) {
	return MutationPolishOut{}, nil
}

func (asker) Choose(context.Context, MutationChooseIn) (MutationChooseGoto, error) {
	return MutationChooseGotoPublish, nil
}

func (asker) Publish(context.Context, MutationPublishIn) (MutationPublishOut, []mutation.Change, error) {
	return MutationPublishOut{}, nil, nil
}

func (asker) Check(context.Context, MutationCheckIn) (MutationCheckOut, error) {
	return MutationCheckOut{}, nil
}

func (asker) Left(context.Context) (MutationLeftOut, error) { return MutationLeftOut{}, nil }

func (asker) Right(context.Context) (MutationRightOut, error) { return MutationRightOut{}, nil }

// fingerprint is a hash of all that the runs of the machine share, but for the description, which the first event makes, and the
// list of bounded nodes, which the first run makes.
func fingerprint() [sha256.Size]byte {
	text := fmt.Appendf(nil, "%#v", mutationMutable)
	for field, value := range reflect.ValueOf(&mutationGraph).Elem().Fields() {
		if field.Name != "Mutable" && field.Name != "description" && field.Name != "bounded" {
			text = fmt.Appendf(text, "\n%s: %#v", field.Name, value)
		}
	}
	return sha256.Sum256(text)
}

func TestConcurrentMutations(t *testing.T) {
	m, err := NewMutation(asker{})
	if err != nil {
		t.Fatal(err)
	}
	before := fingerprint()
	all := wishes()
	var wait sync.WaitGroup
	for i := range 1000 {
		w := all[i%len(all)]
		wait.Go(func() {
			var report graphgen.Report
			ctx := context.WithValue(context.Background(), wishKey{}, w)
			options := []graphgen.RunOption{graphgen.WithReport(&report)}
			if i%3 == 0 {
				options = append(options, graphgen.WithObserver(func(e graphgen.Event) {
					if added := e.Node == "look" || e.Node == "both_of_them"; e.Dynamic != added && e.Kind != graphgen.Routed {
						t.Errorf("run %d: a %s event of node %s has Dynamic %t", i, e.Kind, e.Node, e.Dynamic)
					}
				}))
			}
			goal := strconv.Itoa(i)
			if _, err := m.Run(ctx, MutationInput{Goal: &goal}, options...); err != nil {
				t.Error(i, err)
			}
			if path := strings.Join(report.NodePath(), " "); path != w.path {
				t.Errorf("run %d went %s, not %s", i, path, w.path)
			}
			if i < len(all) && report.Diagram() == "" {
				t.Error("a run has no diagram")
			}
		})
	}
	wait.Wait()
	if fingerprint() != before {
		t.Error("the machine's table is another one")
	}
	var report graphgen.Report
	if _, err := m.Run(context.WithValue(context.Background(), wishKey{}, all[0]), MutationInput{}, graphgen.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	if path := report.NodePath(); strings.Join(path, " ") != all[0].path {
		t.Errorf("a run that asks for nothing goes %v", path)
	}
}
