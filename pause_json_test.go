package graphgen_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/graphgen/graphgen"
)

var where = graphgen.Where{Graph: "g", Branch: "1/law", Node: "ask", Step: 3, Visit: 1, Pos: graphgen.Position{File: "g.graph.yaml", Line: 7, Col: 3}}

const place = `"graph":"g","within":"panel","branch":"1/law","node":"ask","step":3,"visit":1,"file":"g.graph.yaml","line":7,"col":3,`

func TestRequestsJSON(t *testing.T) {
	s := schema(t, "requests.schema.json")
	for name, c := range map[string]struct {
		request graphgen.Request
		want    string
	}{
		"a decision": {
			graphgen.Request{Kind: graphgen.RequestDecision, Question: "Pay?", Choices: []string{"approve", "deny"},
				Deadline: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
			`"question":"Pay?","choices":["approve","deny"],"answer":{"enum":["approve","deny"]},"deadline":"2026-01-02T03:04:05Z"`,
		},
		"a text, with what is shown": {
			graphgen.Request{Kind: graphgen.RequestReply, Question: "Title?",
				Shown: []graphgen.Shown{{Name: "article", Text: "a \"b\""}, {Name: "tags", Text: `["x"]`, JSON: true}}},
			`"question":"Title?","shown":[{"name":"article","text":"a \"b\""},{"name":"tags","value":["x"]}],"answer":{"type":"string"}`,
		},
		"a struct": {
			graphgen.Request{Kind: graphgen.RequestReply, Question: "Review?", Schema: `{"type": "object"}`},
			`"question":"Review?","answer":{"type":"object"}`,
		},
		"a call of a tool": {
			graphgen.Request{Kind: graphgen.RequestToolApproval, Tool: "refund", Arguments: `{"order": "A"}`, Schema: `{"type":"object"}`},
			`"tool":"refund","arguments":{"order":"A"},"answer":{"type":"object"}`,
		},
		"an interrupt": {graphgen.Request{Kind: graphgen.RequestInterrupt}, `"answer":{"const":"continue"}`},
	} {
		q := c.request
		q.ID, q.Where, q.Within = "1/law/ask.1", where, "panel"
		want := `{"requests":[{"id":"1/law/ask.1","kind":"` + string(q.Kind) + `",` + place + c.want + `}]}`
		data, err := graphgen.AppendRequests(nil, []graphgen.Request{q})
		if err != nil || string(data) != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", name, err, data, want)
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
