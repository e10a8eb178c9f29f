package graphslog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	graphslog "github.com/graphgen/graphgen/contrib/slog"
	"github.com/graphgen/graphgen/golden/say"
	"github.com/graphgen/graphgen/golden/subgraph/lookup"
)

const secret = "SECRET-7c1f"

// A library looks questions up, and logs that.
type library struct{ logger *slog.Logger }

func (l library) Search(ctx context.Context, in lookup.LookupSearchIn) (lookup.LookupSearchOut, error) {
	l.logger.InfoContext(ctx, "searching")
	if in.Question == "" {
		return lookup.LookupSearchOut{}, errors.New(secret)
	}
	return lookup.LookupSearchOut{Hits: []lookup.Hit{{Title: secret}}}, nil
}

func (l library) Rate(ctx context.Context, _ lookup.LookupRateArgs) (int, error) {
	l.logger.InfoContext(ctx, "rating")
	return 5, nil
}

// model asks for the tool, then answers.
func model(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	said := chat.Message{Role: chat.RoleAssistant, Text: secret}
	if len(req.Messages) == 1 {
		said.Calls = []chat.ToolCall{{ID: "1", Name: "rate", Arguments: `{"title":"` + secret + `"}`}}
	}
	return &chat.Response{Message: said, Usage: chat.Usage{Input: 10, Output: 1}}, nil
}

// run makes runs at once, of which those without a question fail, and returns the records by run.
func run(t *testing.T, level slog.Level, ids []string, question string, details ...graphslog.Detail) map[string][]map[string]any {
	t.Helper()
	var out bytes.Buffer
	logger := slog.New(graphslog.Handler(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: level})))
	l := library{logger}
	m, err := lookup.NewLookup(l, l, chat.ModelFunc(model), graphslog.Option(logger, details...))
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for _, id := range ids {
		wait.Go(func() {
			_, err := m.Run(context.Background(), lookup.LookupInput{Question: question}, graphgen.WithRunID(id))
			if (err != nil) != (question == "") {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if content := len(details) > 0; strings.Contains(out.String(), secret) != content {
		t.Errorf("the log with content %t is\n%s", content, &out)
	}
	records := map[string][]map[string]any{}
	for line := range strings.Lines(out.String()) {
		record := map[string]any{}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		id := fmt.Sprint(record["run"])
		records[id] = append(records[id], record)
	}
	return records
}

func messages(records []map[string]any) string {
	var list []string
	for _, r := range records {
		list = append(list, fmt.Sprint(r["level"], " ", r["msg"], " ", r["node"]))
	}
	return strings.Join(list, ", ")
}

// TestGuide holds the records that docs/guides/log-with-slog.md shows, which are without times.
func TestGuide(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(graphslog.Handler(slog.NewJSONHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "latency" {
			return slog.Attr{}
		}
		return a
	}})))
	l := library{logger}
	m, err := lookup.NewLookup(l, l, chat.ModelFunc(model), graphslog.Option(logger))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(t.Context(), lookup.LookupInput{Question: "why"}, graphgen.WithRunID("r1")); err != nil {
		t.Fatal(err)
	}
	if out.String() != guide {
		t.Errorf("the records are\n%s", &out)
	}
}

const guide = `{"level":"INFO","msg":"run_start","run":"r1","graph":"lookup"}
{"level":"INFO","msg":"searching","run":"r1","graph":"lookup","node":"search","step":1,"visit":1,"attempt":1}
{"level":"INFO","msg":"model_end","run":"r1","graph":"lookup","node":"answer","kind":"prompt","step":2,"visit":1,"call":1,"purpose":"answer","call_attempt":1,"input_tokens":10,"output_tokens":1}
{"level":"INFO","msg":"rating","run":"r1","graph":"lookup","node":"answer","step":2,"visit":1,"attempt":1}
{"level":"INFO","msg":"tool_end","run":"r1","graph":"lookup","node":"answer","kind":"prompt","step":2,"visit":1,"tool":"rate","by":1}
{"level":"INFO","msg":"model_end","run":"r1","graph":"lookup","node":"answer","kind":"prompt","step":3,"visit":2,"call":2,"purpose":"answer","call_attempt":1,"input_tokens":10,"output_tokens":1}
{"level":"INFO","msg":"run_end","run":"r1","graph":"lookup","reason":"completed","steps":3,"model_calls":2,"tool_calls":1,"input_tokens":20,"output_tokens":2}
`

// TestMessages holds that the messages of say nodes are logged, their texts as content alone.
func TestMessages(t *testing.T) {
	for _, details := range [][]graphslog.Detail{nil, {graphslog.Content()}} {
		var out bytes.Buffer
		m, err := say.NewSay(graphslog.Option(slog.New(slog.NewTextHandler(&out, nil)), details...))
		if err == nil {
			_, err = m.Run(t.Context(), say.SayInput{Topic: "otters", Mood: say.MoodCalm, Raw: []byte("1")})
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "msg=say") || strings.Contains(out.String(), `text="Looking into otters: ."`) != (details != nil) {
			t.Errorf("the records with %d details are\n%s", len(details), &out)
		}
	}
}

func TestRecords(t *testing.T) {
	info := run(t, slog.LevelInfo, []string{"r"}, "why")["r"]
	want := "INFO run_start <nil>, INFO searching search, INFO model_end answer, INFO rating answer, INFO tool_end answer, INFO " +
		"model_end answer, INFO run_end <nil>"
	if got := messages(info); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	end := info[len(info)-1]
	if end["reason"] != "completed" || end["steps"] != 3.0 || end["model_calls"] != 2.0 || end["tool_calls"] != 1.0 || end["input_tokens"] != 20.0 {
		t.Errorf("the last record is %v", end)
	}
	if handler := info[3]; handler["step"] != 2.0 || handler["graph"] != "lookup" || handler["visit"] != 1.0 {
		t.Errorf("the record of the tool is %v", handler)
	}
	failed := run(t, slog.LevelWarn, []string{"r"}, "")["r"]
	if got := messages(failed); got != "ERROR node_error search, ERROR run_end <nil>" {
		t.Errorf("of a run that fails: %s", got)
	}
	content := run(t, slog.LevelError, []string{"r"}, "", graphslog.Content())["r"]
	if !strings.Contains(fmt.Sprint(content[0]["error"]), secret) {
		t.Errorf("with content: %v", content)
	}
	run(t, slog.LevelDebug, []string{"r"}, "why", graphslog.Content())
}

// TestConcurrentRuns holds that every record of runs at once names its run.
func TestConcurrentRuns(t *testing.T) {
	var ids []string
	for i := range 50 {
		ids = append(ids, fmt.Sprint("run ", i))
	}
	records := run(t, slog.LevelDebug, ids, "why")
	if len(records) != len(ids) {
		t.Errorf("there are records of %d runs", len(records))
	}
	for id, list := range records {
		if got := messages(list); got != messages(records["run 0"]) || len(list) < 18 {
			t.Errorf("%s has %s", id, got)
		}
	}
}
