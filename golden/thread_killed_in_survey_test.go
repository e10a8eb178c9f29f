package golden_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/thread"
)

// surveyWork adds a prompt, and an edge back to it.
type surveyWork struct{ bank *ledger }

func (w surveyWork) Plan(ctx context.Context, in durable.SurveyPlanIn) ([]mutation.Change, error) {
	w.bank.did(ctx)
	return []mutation.Change{
		durable.SurveyAddNode(mutation.Node{Name: "dig", Kind: "prompt", Instructions: "Dig {{topic}}.", Writes: "facts",
			Tools: []string{"look_up"}, After: "plan"}),
		mutation.AddEdge("report", "dig").AtMost(1),
	}, nil
}

func (w surveyWork) Report(ctx context.Context, in durable.SurveyReportIn) (durable.SurveyReportOut, error) {
	w.bank.did(ctx)
	return durable.SurveyReportOut{Facts: []string{strconv.Itoa(len(in.Facts)) + " facts"}}, nil
}

type surveyTools struct{ bank *ledger }

func (w surveyTools) LookUp(ctx context.Context, args durable.SurveyLookUpArgs) (string, error) {
	w.bank.did(ctx)
	return "what is known of " + args.What, nil
}

// A surveyModel looks up two things, and then answers.
type surveyModel struct{ bank *ledger }

func (m surveyModel) Generate(ctx context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	m.bank.count("model " + graphgen.IdempotencyKey(ctx))
	found, known := 0, ""
	for _, msg := range req.Messages {
		if msg.Role == chat.RoleTool {
			found++
			known += msg.Text + "; "
		}
	}
	msg := chat.Message{Role: chat.RoleAssistant}
	if found < 2 {
		msg.Calls = []chat.ToolCall{{ID: "call" + strconv.Itoa(found), Name: "look_up", Arguments: `{"what":"` + strconv.Itoa(found) + `"}`}}
	} else {
		msg.Text = known
	}
	return &chat.Response{Message: msg, Finish: chat.Stop}, nil
}

// TestKilledSurvey holds that a run which has changed its graph goes on in it, in whatever process: with the nodes and edges
// that it has added, and in the midst of the tool loop of an added prompt.
func TestKilledSurvey(t *testing.T) {
	killed(t, 1, func(kept thread.Option, bank *ledger) survivor {
		m, err := durable.NewSurvey(surveyWork{bank}, surveyTools{bank}, surveyModel{bank}, kept)
		if err != nil {
			t.Fatal(err)
		}
		return survivorOf(m.Thread("t"), durable.SurveyInput{Topic: "otters"})
	}, nil)
}
