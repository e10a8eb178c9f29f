package golden_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/graphmodel"
)

// signer signs a text.
type signer struct{}

func (signer) Sign(_ context.Context, in graphmodel.GraphModelSignIn) (graphmodel.GraphModelSignOut, error) {
	return graphmodel.GraphModelSignOut{Text: in.Text + " M."}, nil
}

// TestModelOfAGraph holds which model each request of a graph with a model asks, and at which temperature: whatever asks one, unless a node has its own.
func TestModelOfAGraph(t *testing.T) {
	var asked []string
	answers := []string{ // in turn
		`{"route": "look_up"}`, "found", strings.Repeat("long ", 300), "short", `{"pass": false, "message": "rude"}`, `{"choice": "1"}`,
		"fine", "edited", `{"route": "sign"}`, `{"route": "end"}`,
	}
	model := func(name string) chat.Model {
		return chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
			temperature := "its own"
			if req.Temperature != nil {
				temperature = fmt.Sprint(*req.Temperature)
			}
			text := answers[len(asked)]
			asked = append(asked, fmt.Sprintf("%s %s%s, %s", req.Purpose, name, req.Model, temperature))
			return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: text}, Finish: chat.Stop}, nil
		})
	}
	for name, c := range map[string]struct {
		opts []graphgen.RunOption
		want []string
	}{
		"one model": {want: []string{
			"choose main:large, 0.2", "answer main:finder, 1", "answer main:large, 0.2", "summarize main:large, 0.2", "evaluate main:large, 0.2",
			"judge main:large, 0.2", "answer main:large, 0.2", "answer main:, its own", "choose main:large, 0.2", "choose main:large, 0.2",
		}},
		"a smaller one, and one of the name": {
			opts: []graphgen.RunOption{graphgen.WithLightModel(model("light:")), graphgen.WithNamedModel("large", model("named:"))},
			want: []string{
				"choose named:, 0.2", "answer main:finder, 1", "answer named:, 0.2", "summarize light:, 0.2", "evaluate named:, 0.2",
				"judge named:, 0.2", "answer light:, 0.2", "answer main:, its own", "choose named:, 0.2", "choose named:, 0.2",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			asked = nil
			polish, err := graphmodel.NewPolish(model("main:"))
			if err != nil {
				t.Fatal(err)
			}
			m, err := graphmodel.NewGraphModel(signer{}, model("main:"), polish)
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Run(t.Context(), graphmodel.GraphModelInput{Question: "Why?"}, c.opts...)
			if want := "edited M."; err != nil || out.Text != want {
				t.Errorf("the run gave %+v and %v, want %q", out, err, want)
			}
			if !slices.Equal(asked, c.want) {
				t.Errorf("it asked\n%s\nwant\n%s", strings.Join(asked, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}
