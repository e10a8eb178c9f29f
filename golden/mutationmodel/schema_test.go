package mutationmodel

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// hands are the handlers and tools of the graph, which do nothing.
type hands struct{}

func (hands) Gather(context.Context, MutationmodelGatherIn) (MutationmodelGatherOut, error) {
	return MutationmodelGatherOut{}, nil
}

func (hands) Publish(in MutationmodelPublishIn) (MutationmodelPublishOut, error) {
	return MutationmodelPublishOut(in), nil
}

func (hands) Pay(context.Context, MutationmodelPayArgs) (string, error) { return "", nil }

func (hands) Search(context.Context, MutationmodelSearchArgs) (string, error) { return "", nil }

// A speaker is a model that says its lines in turn and keeps what it was asked.
type speaker struct {
	lines []string
	asked []chat.Request
}

func (s *speaker) Generate(_ context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
	s.asked = append(s.asked, *r)
	line := s.lines[min(len(s.asked), len(s.lines))-1]
	return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: line}}, nil
}

// enums are the members of a request's schema that are one of some values, by name.
func enums(t *testing.T, r chat.Request) map[string][]string {
	t.Helper()
	type property struct {
		Enum       []string            `json:"enum"`
		Items      *property           `json:"items"`
		Properties map[string]property `json:"properties"`
	}
	var root property
	if r.Output == nil {
		t.Fatal("the request has no schema")
	}
	if err := json.Unmarshal([]byte(r.Output.JSON), &root); err != nil {
		t.Fatalf("%v in %s", err, r.Output.JSON)
	}
	found := map[string][]string{}
	var note func(prefix string, p property)
	note = func(prefix string, p property) {
		for name, member := range p.Properties {
			if member.Items != nil {
				member.Enum = member.Items.Enum
			}
			if len(member.Enum) > 0 {
				found[prefix+name] = member.Enum
			}
			note(prefix+name+".", member)
		}
	}
	note("", root)
	return found
}

func TestAnswerSchema(t *testing.T) {
	model := &speaker{lines: []string{
		`{"text": "a", "_graph_action": "add_node", "_node_config": {"name": "habitat_1", "kind": "prompt", "instructions": ` +
			`"Where?", "after": "plan", "template": null}}`,
		"rivers", "Otters.",
		`{"score": 3, "_graph_action": "remove_node", "_target": "gather"}`,
	}}
	m, err := NewMutationmodel(hands{}, hands{}, model)
	if err != nil {
		t.Fatal(err)
	}
	var report graphgen.Report
	if _, err := m.Run(t.Context(), MutationmodelInput{Topic: "otters"}, graphgen.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	live := []string{"plan", "gather", "draft", "critic", "publish"}
	later := slices.Concat(live, []string{"habitat_1"})
	actions := []string{"add_node", "add_edge", "skip_to", "retry_with", "remove_edge", "remove_node"}
	for i, want := range map[int]map[string][]string{
		0: {"_from": live, "_to": append(slices.Clone(live), "end"), "_node_config.after": live},
		3: {"_from": later, "_target": append(slices.Clone(later), "end"), "_node_config.next": append(slices.Clone(later), "end")},
	} {
		want["_graph_action"] = actions
		want["_node_config.template"] = []string{"ask"}
		want["_node_config.kind"] = []string{"prompt"}
		want["_node_config.writes"] = []string{"facts", "article", "comment"}
		want["_node_config.reads"] = []string{"topic", "facts", "score"}
		want["_node_config.tools"] = []string{"search"}
		got := enums(t, model.asked[i])
		for name, values := range want {
			slices.Sort(got[name])
			slices.Sort(values)
			if fmt.Sprint(got[name]) != fmt.Sprint(values) {
				t.Errorf("request %d: %s is one of %v, not of %v", i, name, got[name], values)
			}
		}
	}
	if model.asked[1].Output != nil || model.asked[1].System != "" || model.asked[1].Messages[0].Text != "Where?" {
		t.Errorf("the added prompt was asked %+v", model.asked[1])
	}
	if got := strings.Join(report.NodePath(), ", "); got != "plan, habitat_1, gather, draft, critic" {
		t.Errorf("the path is %s", got)
	}
}

const drawn = `---
title: "mutationmodel"
---
flowchart TD
    start(("start"))
    n1("plan")
    n3("draft")
    n4("critic")
    n6[/"publish"/]
    stop((("end")))
    n7["habitat_1"]:::added
    start -.-> n1
    n1 -->|"tool calls"| n1
    n1 -.-> n3
    n3 -.-> n4
    n4 -->|"out.Score #60; 2<br/>≤2"| n3
    n4 -->|"out.Score > 3"| n6
    n4 -.->|"no match"| stop
    n6 -.-> stop
    n1 ==>|"≤1"| n7
    n7 ==> n3
    classDef added stroke-width:3px
`

func TestReportDiagram(t *testing.T) {
	model := &speaker{lines: []string{
		`{"text": "a", "_graph_action": "add_node", "_node_config": {"name": "habitat_1", "kind": "prompt", "instructions": "Where?", "after": "plan"}}`,
		"rivers", "Otters.",
		`{"score": 3, "_graph_action": "remove_node", "_target": "gather"}`,
	}}
	m, err := NewMutationmodel(hands{}, hands{}, model)
	if err != nil {
		t.Fatal(err)
	}
	var report graphgen.Report
	if _, err := m.Run(t.Context(), MutationmodelInput{Topic: "otters"}, graphgen.WithReport(&report)); err != nil {
		t.Fatal(err)
	}
	if got := report.Diagram(); got != drawn {
		t.Errorf("the diagram is\n%s", got)
	}
}

// TestNodeConfig holds that a new node may be written with the names that models of Promptise write, and that what is given
// under two names, or is no name, is refused, and the answer counts.
func TestNodeConfig(t *testing.T) {
	const answer = `{"text":"where they live","_graph_action":"add_node","_node_config":`
	for _, tt := range []struct{ name, config, path, refused string }{
		{"a prompt",
			`{"name":"look","type":"prompt","description":"looks","instructions":"Look {{topic}} up.","input_keys":["facts"],` +
				`"output_key":"facts","tools":["search"],"after":"plan","default_next":"draft","max_iterations":2}`, "plan look draft critic publish", ""},
		{"a prompt without a type",
			`{"name":"look","instructions":"Look {{topic}} up.","after":"plan","default_next":"draft","output_key":null,"input_keys":null}`,
			"plan look draft critic publish", ""},
		{"the type is a template", `{"name":"look","type":"ask","after":"plan","default_next":"draft"}`, "plan look draft critic publish", ""},
		{"the end", `{"name":"look","type":"prompt","instructions":"Look.","after":"draft","default_next":"__end__"}`, "plan gather draft look", ""},
		{"our names",
			`{"name":"look","kind":"prompt","instructions":"Look.","reads":["topic"],"writes":"facts","after":"plan","next":"draft","max_visits":2}`,
			"plan look draft critic publish", ""},
		{"two names for one thing", `{"name":"look","kind":"prompt","type":"prompt","instructions":"Look.","after":"plan"}`,
			"plan gather draft critic publish", "under another name"},
		{"a key that new nodes do not have", `{"name":"look","type":"prompt","instructions":"Look.","flags":["critical"],"after":"plan"}`,
			"plan gather draft critic publish", "flags"},
		{"a type that the spec does not allow", `{"name":"look","type":"plan","instructions":"Look.","after":"plan"}`,
			"plan gather draft critic publish", `kind "plan"`},
		{"a field that no new node may see", `{"name":"look","type":"prompt","instructions":"Look.","input_keys":["account"],"after":"plan"}`,
			"plan gather draft critic publish", `"account"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model := chat.ModelFunc(func(ctx context.Context, r *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
				text := "Otters."
				switch graphgen.Info(ctx).Node {
				case "plan":
					text = answer + tt.config + "}"
				case "critic":
					text = `{"score":4}`
				}
				return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: text}}, nil
			})
			m, err := NewMutationmodel(hands{}, hands{}, model)
			if err != nil {
				t.Fatal(err)
			}
			var report graphgen.Report
			if _, err = m.Run(t.Context(), MutationmodelInput{Topic: "otters"}, graphgen.WithReport(&report)); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(report.NodePath(), " "); got != tt.path {
				t.Errorf("the path is %s", got)
			}
			if len(report.Mutations) != 1 || (report.Mutations[0].Refused == "") != (tt.refused == "") ||
				!strings.Contains(report.Mutations[0].Refused, tt.refused) {
				t.Errorf("the changes are %+v", report.Mutations)
			}
		})
	}
}
