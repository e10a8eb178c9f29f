package harness

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/runtime/driver"
)

// office plays the handlers and tools of the graph office. A refund takes its time by the driver.
type office struct {
	durable.ClerkTools
	by  *coroutines
	log []string
}

func (o *office) Close(context.Context, durable.OfficeCloseIn) (out durable.OfficeCloseOut, _ error) {
	return out, nil
}

func (o *office) File(context.Context, durable.ClerkFileIn) (out durable.ClerkFileOut, _ error) {
	return out, nil
}

func (o *office) Refund(ctx context.Context, args durable.ClerkRefundArgs) (string, error) {
	o.log = append(o.log, "begin "+args.Order)
	over := false
	o.by.After(ctx, time.Second, func() { over = true })
	o.by.Wait(ctx, func() bool { return over })
	o.log = append(o.log, "end "+args.Order)
	return "paid", nil
}

// Generate asks for a refund of the order that the message names.
func (o *office) Generate(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	if len(req.Messages) > 1 {
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "It is paid."}}, nil
	}
	text := req.Messages[0].Text
	calls := []chat.ToolCall{{ID: "a", Name: "refund", Arguments: `{"order":"` + text[len(text)-1:] + `","cents":1}`}}
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Calls: calls}}, nil
}

// TestAnswersTogether holds that an answer which another coroutine gives while a run is resumed waits by the scheduler until that call has ended.
func TestAnswersTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		by := new(coroutines)
		by.begin()
		o := &office{by: by}
		clerk, err := durable.NewClerk(o, o, o)
		if err != nil {
			t.Fatal(err)
		}
		m, err := durable.NewOffice(o, clerk)
		if err != nil {
			t.Fatal(err)
		}
		in := durable.OfficeInput{Messages: []string{"order 1", "order 2"}}
		_, err = m.Run(t.Context(), in, driver.With(driver.Driver{Scheduler: by, Clock: by, IDs: by}))
		pause := graphgen.AsPause(err)
		if pause == nil || len(pause.Requests) != 2 {
			t.Fatal(err)
		}
		ended := make([]error, 0, 2)
		for _, q := range pause.Requests {
			by.Go(t.Context(), func(ctx context.Context) {
				_, err := m.Resume(ctx, pause, graphgen.AnswerJSON[durable.Office](q.ID, []byte(`"approve"`)))
				ended = append(ended, err)
			})
		}
		by.Wait(t.Context(), func() bool { return len(ended) == 2 })
		if graphgen.AsPause(ended[0]) == nil || ended[1] != nil {
			t.Errorf("the calls end with %v", errors.Join(ended...))
		}
		if want := []string{"begin 1", "end 1", "begin 2", "end 2"}; !slices.Equal(o.log, want) {
			t.Errorf("the refunds are %v, want %v", o.log, want)
		}
		if by.check("the end"); by.problem != nil {
			t.Error(by.problem)
		}
	})
}
