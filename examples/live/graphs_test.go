package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/examples/inquiry"
)

// parts are what the nodes of the inquiry are told, and what a model says to it.
var parts = []struct{ told, says string }{
	{"Take the question apart", `{"questions":["Who came ashore?","When?"]}`},
	{"Answer from the texts", `{"question":"Who came ashore?","text":"Rats, in 2011.","sources":["rats.md"]}`},
	{"what most speaks against", `Nobody saw them land.`},
	{"Say what whoever sums",
		`{"advice":"Say who saw it.","open":"","_graph_action":"add_node","_node_config":{"name":"tally","kind":"prompt",` +
			`"instructions":"Add it up.","writes":"notes","after":"review"}}`},
	{"Add it up.", `One wreck.`},
	{"Answer the question from the findings", `{"text":"Rats ate the eggs.","sources":["rats.md"]}`},
}

// inquired is a server that answers by what it is told, so that branches may ask it concurrently.
func inquired(t *testing.T) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Messages) == 0 {
			t.Errorf("%d messages, %v", len(req.Messages), err)
			return
		}
		for _, p := range parts {
			if strings.Contains(string(req.Messages[0].Content), p.told) {
				answer(w, turn{pieces: says(p.says)})
				return
			}
		}
		t.Errorf("nobody is told %s", req.Messages[0].Content)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func TestConcurrentBranches(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.jsonl")
	output, code := start(t, []string{"OPENAI_BASE_URL=" + inquired(t), "OPENAI_API_KEY=" + key}, "-graph", "inquiry", "-price", "0.25,2", "-record", file)
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	holds(t, output,
		" of openai is asked: "+inquiry.Question, "  says   0: ", "  says   1: ", "  says   in_doubt: Nobody saw them land.",
		"  alters add_node tally\n  says   One wreck.\n",
		"\nRats ate the eggs.\nsources: rats.md\n", "completed: 7 model calls")
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tape, err := record.Open(made)
	if err != nil {
		t.Fatal(err)
	}
	a, err := inquiry.Ask(t.Context(), tape.Model(nil), inquiry.Shelf(), inquiry.Question, record.Run(tape, nil))
	if err != nil || tape.Done() != nil || a.Text != "Rats ate the eggs." {
		t.Errorf("the replay says %q, %v and %v", a.Text, err, tape.Done())
	}
}

func TestAGraphThatThereIsNot(t *testing.T) {
	output, code := start(t, nil, "-graph", "otters")
	if code == 0 {
		t.Error("it was asked")
	}
	holds(t, output, `there is no graph "otters"`)
}

// TestChatTurns holds that each turn is a request of its own, with those before it.
func TestChatTurns(t *testing.T) {
	var roles []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req request
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		all := ""
		for _, m := range req.Messages {
			all += m.Role + " "
		}
		roles = append(roles, all)
		answer(w, turn{pieces: says("Indeed.")})
	}))
	defer s.Close()
	output, code := start(t, []string{"OPENAI_BASE_URL=" + s.URL, "OPENAI_API_KEY=" + key}, "-graph", "chat")
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	holds(t, output, "Indeed.")
	want := []string{"system user ", "system user assistant user ", "system user assistant user assistant user "}
	if !slices.Equal(roles, want) {
		t.Errorf("the requests have %q, want %q\n%s", roles, want, output)
	}
}
