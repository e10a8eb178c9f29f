package tenants

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
)

var update = flag.Bool("update", false, "make the recording again")

// session is what a model might say to Question. It asks for an order of another company.
func session() chat.Model {
	used := func(in, out int) chat.Usage { return chat.Usage{Input: in, Output: out} }
	return scripted.New(
		scripted.Turn{Usage: used(310, 12), Calls: []chat.ToolCall{{Name: "list_orders", Arguments: `{}`}}},
		scripted.Turn{Usage: used(355, 30), Calls: []chat.ToolCall{
			{Name: "read_order", Arguments: `{"number": "1001"}`},
			{Name: "read_order", Arguments: `{"number": "2001"}`},
		}},
		scripted.Turn{Usage: used(420, 40), Text: `{"text": "Order 1001 was shipped on 3 May. You have no order 2001.", "sources": ["1001", "2001"]}`},
		scripted.Turn{Usage: used(480, 38), Text: `{"text": "Order 1001 was shipped on 3 May. You have no order 2001.", "sources": ["1001"]}`},
	)
}

func TestRecording(t *testing.T) {
	answer, made, err := Record(t.Context(), session(), Shelf(), Question)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Sources) != 1 || answer.Sources[0] != "1001" {
		t.Errorf("the answer rests on %v, want 1001", answer.Sources)
	}
	if *update {
		if err := os.WriteFile("recording.jsonl", made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(made, recording) {
		t.Error("recording.jsonl is not what the session says; -update writes it")
	}
	if bytes.Contains(made, []byte(Tenant)) || bytes.Contains(made, []byte("dynamite")) {
		t.Errorf("the recording has the tenant, or an order of another company:\n%s", made)
	}
}

// TestTheTenantStaysPrivate looks for the tenant in all that leaves a run: requests, events, the
// report.
func TestTheTenantStaysPrivate(t *testing.T) {
	var seen strings.Builder
	watch := graphgen.WithObserver(func(e graphgen.Event) { fmt.Fprintf(&seen, "%s %+v\n", jsonOf(t, e), e) })
	asked := graphgen.WithModelWrapper(func(m chat.Model) chat.Model {
		return model(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
			fmt.Fprintf(&seen, "%+v\n", *req)
			return m.Generate(ctx, req, stream)
		})
	})
	var report graphgen.Report
	if _, err := Ask(t.Context(), session(), Shelf(), Question, watch, asked, graphgen.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&seen, "%+v", report)
	if !strings.Contains(seen.String(), "1002") {
		t.Error("the events lack the result of list_orders")
	}
	for line := range strings.Lines(seen.String()) {
		if strings.Contains(line, Tenant) || strings.Contains(line, "dynamite") {
			t.Errorf("the tenant, or an order of another company, is in %s", line)
		}
	}
	if report.Tools != (graphgen.ToolCount{Made: 3, Failed: 1}) || len(report.Refusals) != 1 {
		t.Errorf("the report counts %+v and %d refusals", report.Tools, len(report.Refusals))
	}
}

// A model is a function.
type model func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error)

func (m model) Generate(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
	return m(ctx, req, stream)
}

func TestAReplayNeedsNoModel(t *testing.T) {
	answer, err := Replay(t.Context())
	if err != nil || !strings.Contains(answer.Text, "3 May") {
		t.Errorf("the answer is %q, %v", answer.Text, err)
	}
}

func TestATenantHasNoPath(t *testing.T) {
	for _, tenant := range []string{"", "..", "acme/../globex", "globex/"} {
		if found, err := (Orders{Files: Shelf()}).ListOrders(t.Context(), TenantsListOrdersIn{Tenant: tenant}); err == nil {
			t.Errorf("%q has the orders %v", tenant, found)
		}
	}
}

func jsonOf(t *testing.T, e graphgen.Event) []byte {
	t.Helper()
	data, err := e.AppendJSON(nil)
	if err != nil {
		t.Error(err)
	}
	return data
}
