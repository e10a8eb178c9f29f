package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/pipeline"
)

// TestABudgetOfMoneyNeedsPrices asks each of a machine's models in each way there is. Without a
// price the call is not made.
func TestABudgetOfMoneyNeedsPrices(t *testing.T) {
	asked := 0
	plain := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		asked++
		texts := map[chat.Purpose]string{chat.Answer: "here", chat.Judge: `{"choice":"1"}`, chat.Evaluate: `{"pass":true,"message":""}`}
		return &chat.Response{Message: chat.Message{Text: texts[req.Purpose]}}, nil
	})
	priced := chat.Priced(plain, chat.Price{Input: 1})
	agent := func(change func(*pipeline.Node)) func(*stage) error {
		return func(s *stage) error {
			n := plainNode()
			change(n)
			var d pipeline.Transcript
			return s.turn(&d, n, "where?")
		}
	}
	own := agent(func(*pipeline.Node) {})
	light := agent(func(n *pipeline.Node) { n.Light = true })
	big := agent(func(n *pipeline.Node) { n.Model = "big" })
	for _, c := range []struct {
		name    string
		model   chat.Model
		options []graphgen.RunOption
		ask     func(*stage) error
		want    string // which has no price; empty: the call is made
	}{
		{"the model", plain, nil, own, "the model of graph "},
		{"a priced one", priced, nil, own, ""},
		{"one given to the run", priced, []graphgen.RunOption{graphgen.WithModel(plain)}, own, "the model of graph "},
		{"a priced one given to the run", plain, []graphgen.RunOption{graphgen.WithModel(priced)}, own, ""},
		{"the smaller one", priced, []graphgen.RunOption{graphgen.WithLightModel(plain)}, light, "the smaller model of graph "},
		{"no smaller one", priced, nil, light, ""},
		{"a named one", priced, []graphgen.RunOption{graphgen.WithNamedModel("big", plain)}, big, `the model named "big"`},
		{"a priced named one", plain, []graphgen.RunOption{graphgen.WithNamedModel("big", priced)}, big, ""},
		{"a name that no option gives", priced, nil, big, `the provider's model "big" of the model of graph `},
		{"a chain", chat.Fallback(priced, plain), nil, own, "the model at place 2 of a fallback of the model of graph "},
		{"a judge of an edge", plain, nil, func(s *stage) error {
			q := &pipeline.Question{}
			q.Offer(1, "it is good")
			if got := pipeline.Judge(s.Context(), &s.Run, s.model, &pipeline.Results{}, q); got == pipeline.NoAnswer {
				return errors.New("the model of graph ") // told as the end of the run, which this stage has not
			}
			return nil
		}, "the model of graph "},
		{"a judge of an output", plain, nil, func(s *stage) error {
			_, err := pipeline.Evaluate(s.Context(), &s.Run, s.model, "it is good", "text")
			return err
		}, "the model of graph "},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked = 0
			s := on(t, c.model, append(c.options, graphgen.WithBudgets(graphgen.Budgets{Cost: 0.5}))...)
			err := c.ask(s)
			if c.want == "" {
				if err != nil || asked != 1 {
					t.Errorf("the model was asked %d times (error %v)", asked, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || asked != 0 {
				t.Errorf("the model was asked %d times (error %v), want none and %s", asked, err, c.want)
			}
			if spent, ok := errors.AsType[*graphgen.LimitError](err); ok && (spent.Unpriced == "" || spent.Max != 0.5) {
				t.Errorf("the error is %+v", spent)
			}
			asked = 0
			if err := c.ask(on(t, c.model, c.options...)); err != nil || asked != 1 {
				t.Errorf("without a budget of money the model was asked %d times (error %v)", asked, err)
			}
		})
	}
}

func plainNode() *pipeline.Node { return plain("a") }
