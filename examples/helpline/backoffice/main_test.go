package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/scripted"
	"github.com/graphgen/graphgen/contrib/mcp"
	"github.com/graphgen/graphgen/examples/helpline"
)

// asServer has the binary of the tests be the server.
const asServer = "BACKOFFICE_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// serve starts the server in a process of its own.
func serve(t *testing.T) *mcp.Server {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcp.Command([]string{program}, mcp.Name("backoffice"), mcp.Env(asServer, "1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// The parts of a script: what the models of nodes say. What they call is a real server's.
type script map[string][]scripted.Turn

// A call is one that a customer's message leads to.
type call struct {
	says    script
	message string
	opts    []graphgen.RunOption
}

// make runs the helpline with the server's tools.
func (c call) make(t *testing.T) (helpline.HelplineOutput, *graphgen.Report, *scripted.Model) {
	t.Helper()
	var report graphgen.Report
	model := scripted.Play(scripted.Script{Turns: c.says, Key: func(ctx context.Context, _ *chat.Request) string { return graphgen.Info(ctx).Node }})
	out, err := helpline.Answer(t.Context(), &helpline.Counter{}, model, serve(t), c.message, append(c.opts, graphgen.WithReport(&report))...)
	if err != nil {
		t.Fatal(err)
	}
	return out, &report, model
}

// heard are the results of tools that the last request of a node shows.
func heard(t *testing.T, model *scripted.Model, node string) []string {
	t.Helper()
	var results []string
	for _, asked := range model.Asked() {
		if asked.Key != node {
			continue
		}
		results = nil
		for _, m := range asked.Request.Messages {
			if m.Role == chat.RoleTool {
				results = append(results, m.Text)
			}
		}
	}
	return results
}

func text(s string) scripted.Turn { return scripted.Turn{Text: s} }

func tool(name, arguments string) scripted.Turn {
	return scripted.Turn{Calls: []chat.ToolCall{{Name: name, Arguments: arguments}}}
}

func TestRefundBounds(t *testing.T) {
	out, report, model := call{
		message: "You have charged line 4 twice, invoice 17. And I want the money for invoice 18 back!",
		says: script{
			"dispatch": {text(`{"route": "billing"}`)},
			"billing": {
				{Calls: []chat.ToolCall{{Name: "find_invoice", Arguments: `{"number": 17}`}, {Name: "find_invoice", Arguments: `{"number": 18}`}}},
				{Calls: []chat.ToolCall{{Name: "refund", Arguments: `{"number": 17, "euros": 29.90}`},
					{Name: "refund", Arguments: `{"number": 18, "euros": 358.80}`}}},
				text("29.90 euros are on their way."),
			},
		},
		opts: []graphgen.RunOption{helpline.RefundsUpTo(50)},
	}.make(t)
	if out.Reply == nil || *out.Reply != "29.90 euros are on their way." || out.Ticket != nil {
		t.Errorf("output %+v", out)
	}
	if path := report.NodePath(); !slices.Equal(path, []string{"dispatch", "billing", "look_up", "billing", "look_up", "billing"}) {
		t.Errorf("path %v", path)
	}
	want := []string{
		`{"euros":59.8,"for":"line 4, May, charged twice","number":17,"refunded":0}`,
		`{"euros":358.8,"for":"line 5, a year","number":18,"refunded":0}`,
		`{"euros":59.8,"for":"line 4, May, charged twice","number":17,"refunded":29.9}`,
		`that much is refunded by a person: write to refunds@example.com`,
	}
	if got := heard(t, model, "billing"); !slices.Equal(got, want) {
		t.Errorf("the model heard\n%s", strings.Join(got, "\n"))
	}
	if report.Tools != (graphgen.ToolCount{Made: 4, Failed: 1}) {
		t.Errorf("tools %+v", report.Tools)
	}
}

func TestLineAndRefundTool(t *testing.T) {
	out, report, model := call{
		message: "Line 4 is dead!",
		says: script{
			"dispatch": {text(`{"route": "technical"}`)},
			"technical": {
				tool("line_status", `{"line": 4}`),
				{Calls: []chat.ToolCall{{Name: "restart_line", Arguments: `{"line": 4}`}, {Name: "refund", Arguments: `{"number": 17, "euros": 5}`}}},
				tool("line_status", `{"line": 4}`),
				text(`{"reply": "Line 4 works again.", "next_step": "solved"}`),
			},
		},
	}.make(t)
	if out.Reply == nil || *out.Reply != "Line 4 works again." || report.Reason != graphgen.Completed {
		t.Errorf("output %+v, %v", out, report.Reason)
	}
	got := heard(t, model, "technical")
	if len(got) != 4 || got[0] != `{"line":"down since its last restart"}` || !strings.Contains(got[2], "there is no tool") || got[3] != `{"line":"up"}` {
		t.Errorf("the model heard\n%s", strings.Join(got, "\n"))
	}
}

func TestTicket(t *testing.T) {
	out, _, model := call{
		message: "Line 9 is dead!",
		says: script{
			"dispatch":  {text(`{"route": "technical"}`)},
			"technical": {tool("line_status", `{"line": 9}`), text(`{"reply": "A colleague looks after it.", "next_step": "unsolved"}`)},
		},
	}.make(t)
	if out.Ticket == nil || *out.Ticket != "1" {
		t.Errorf("output %+v", out)
	}
	if got := heard(t, model, "technical"); len(got) != 1 || got[0] != "there is no line 9" {
		t.Errorf("the model heard %q", got)
	}
}
