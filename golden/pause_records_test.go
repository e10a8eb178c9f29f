package golden_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/records"
)

type herald struct{}

func (herald) Tell(_ context.Context, in records.RecordsTellIn) (records.RecordsTellOut, error) {
	return records.RecordsTellOut{Told: in.Last.By + " " + in.Last.Decision}, nil
}

// TestRecords answers by typed methods and in JSON, each with who answers: the state has it.
func TestRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := records.NewRecords(herald{})
		ctx, began := t.Context(), time.Now()
		_, err := m.Run(ctx, records.RecordsInput{Payments: []string{"a", "b"}})
		p := pause(t, err)
		time.Sleep(time.Hour)
		_, err = m.Resume(ctx, p, graphgen.AnswerJSON[records.Records]("1/check.1", []byte(`"deny"`)), graphgen.AnsweredBy("bob"), graphgen.AnswerNote("too much"))
		p = pause(t, err)
		time.Sleep(time.Hour)
		_, err = m.Resume(ctx, p, records.AnswerRecordsCheck(graphgen.Approve), graphgen.AnsweredBy("ann"))
		p = pause(t, err)
		_, err = m.Resume(ctx, p, records.AnswerRecordsChief(graphgen.Approve)) // of no one: what earlier calls said holds for them alone
		p = pause(t, err)
		out, err := m.Resume(ctx, p, records.AnswerRecordsAsk("fine"), graphgen.AnsweredBy("eve"))
		want := []records.Signed{
			{Decision: "approve", By: "ann", At: began.Add(2 * time.Hour)},
			{Decision: "reply", By: "eve", At: began.Add(2 * time.Hour)},
		}
		if err != nil || len(out.Signed) != 2 || out.Signed[0] != want[0] || out.Signed[1] != want[1] ||
			out.Last != (records.Last{Decision: "approve"}) || out.Comment != "fine" {
			t.Errorf("the run ends with %+v, %v", out, err)
		}
		_, err = m.Run(ctx, records.RecordsInput{})
		out, err = m.Resume(ctx, pause(t, err), records.AnswerRecordsChief(graphgen.Deny), graphgen.AnsweredBy("ann"))
		if err != nil || out.Told != "ann deny" {
			t.Errorf("a no ends with %+v, %v", out, err)
		}
		_, err = m.Run(ctx, records.RecordsInput{})
		_, err = m.Resume(ctx, pause(t, err), records.AnswerRecordsChief(0), graphgen.AnsweredBy("ann"))
		if _, refused := errors.AsType[*graphgen.ResumeError](err); !refused {
			t.Errorf("no decision: %v", err)
		}
	})
}
