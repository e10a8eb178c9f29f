package requestjson_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/requestjson"
)

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("..", "..", "docs", "reference", "requests.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var where = graphrt.Where{Graph: "g", Branch: "1/law", Node: "ask", Step: 3, Visit: 1, Pos: graphrt.Position{File: "g.graph.yaml", Line: 7, Col: 3}}

const place = `"graph":"g","within":"panel","branch":"1/law","node":"ask","step":3,"visit":1,"file":"g.graph.yaml","line":7,"col":3,`

func TestRequests(t *testing.T) {
	s := schema(t)
	for name, c := range map[string]struct {
		request graphrt.Request
		want    string
	}{
		"a decision": {
			graphrt.Request{Kind: graphrt.RequestDecision, Question: "Pay?", Choices: []string{"approve", "deny"},
				Deadline: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
			`"question":"Pay?","choices":["approve","deny"],"answer":{"enum":["approve","deny"]},"deadline":"2026-01-02T03:04:05Z"`,
		},
		"a text, with what is shown": {
			graphrt.Request{Kind: graphrt.RequestReply, Question: "Title?",
				Shown: []graphrt.Shown{{Name: "article", Text: "a \"b\""}, {Name: "tags", Text: `["x"]`, JSON: true}}},
			`"question":"Title?","shown":[{"name":"article","text":"a \"b\""},{"name":"tags","value":["x"]}],"answer":{"type":"string"}`,
		},
		"a struct": {
			graphrt.Request{Kind: graphrt.RequestReply, Question: "Review?", Schema: `{"type": "object"}`},
			`"question":"Review?","answer":{"type":"object"}`,
		},
		"a call of a tool": {
			graphrt.Request{Kind: graphrt.RequestToolApproval, Tool: "refund", Arguments: `{"order": "A"}`, Schema: `{"type":"object"}`},
			`"tool":"refund","arguments":{"order":"A"},"answer":{"type":"object"}`,
		},
		"an interrupt": {graphrt.Request{Kind: graphrt.RequestInterrupt}, `"answer":{"const":"continue"}`},
	} {
		q := c.request
		q.ID, q.Where, q.Within = "1/law/ask.1", where, "panel"
		p := &graphrt.InterruptedError{Request: q, Requests: []graphrt.Request{q}}
		want := `{"requests":[{"id":"1/law/ask.1","kind":"` + string(q.Kind) + `",` + place + c.want + `}]}`
		data, err := requestjson.Append(nil, p)
		if err != nil || string(data) != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, data, want)
		}
		if data, err := json.Marshal(requestjson.Pause{InterruptedError: p}); err != nil || string(data) != want {
			t.Errorf("%s, by encoding/json: %s, %v", name, data, err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
