package langgraph

import (
	"encoding/json"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// An interrupt is what a run waits for.
type interrupt struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}

// A review is the value of an interrupt that is the approval of a call, in the form of LangChain's middleware for people.
type review struct {
	Actions []action `json:"action_requests"`
	Configs []config `json:"review_configs"`
}

type action struct {
	Name        string          `json:"name"`
	Args        json.RawMessage `json:"args"`
	Description string          `json:"description,omitempty"`
}

type config struct {
	Action  string   `json:"action_name"`
	Allowed []string `json:"allowed_decisions"`
}

// A question is the value of another interrupt.
type question struct {
	Kind    graphgen.RequestKind `json:"kind"`
	Node    string               `json:"node"`
	Tool    string               `json:"tool,omitempty"`
	Request json.RawMessage      `json:"request"` // its question, or the arguments of a call
	Schema  json.RawMessage      `json:"schema,omitempty"`
}

func valueOf(q *graphgen.Request) any {
	if q.Kind == graphgen.RequestToolApproval {
		return review{
			[]action{{q.Tool, speech.Arguments(q), q.Question}}, []config{{q.Tool, []string{"approve", "edit", "reject"}}},
		}
	}
	return question{q.Kind, q.Node, q.Tool, speech.Arguments(q), speech.Schema(q)}
}

// A verdict is a decision in the form of LangChain's middleware.
type verdict struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Edited  *struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"edited_action"`
}

// repliesOf returns the answers that resume a run: the answer to its only request, or several by the IDs of interrupts.
func repliesOf(waits *speech.Waiting, resume json.RawMessage) (list []serve.Reply, err error) {
	var several map[string]json.RawMessage
	if json.Unmarshal(resume, &several) == nil && areIDs(several) {
		for id := range several {
			if waits.Find(id) == nil {
				return nil, speech.Closed()
			}
		}
		for i := range waits.Requests {
			q := &waits.Requests[i]
			value, given := several[waits.ID(q)]
			if !given {
				continue
			}
			answer, err := answerOf(q, value)
			if err != nil {
				return nil, err
			}
			list = append(list, serve.Reply{Request: q.ID, JSON: answer})
		}
		return list, nil
	}
	switch len(waits.Requests) {
	case 0:
		return nil, speech.Closed()
	case 1:
		answer, err := answerOf(&waits.Requests[0], resume)
		return []serve.Reply{{Request: waits.Requests[0].ID, JSON: answer}}, err
	}
	return nil, speech.Invalid("command.resume", "Several interrupts are open: it is an object with the answers by their IDs.")
}

// areIDs reports whether the members of an object are IDs of interrupts.
func areIDs(of map[string]json.RawMessage) bool {
	for id := range of {
		if !strings.HasPrefix(id, "call_") {
			return false
		}
	}
	return len(of) > 0
}

// answerOf returns the answer to a request for a value that resumes it: a decision in LangChain's form, or an answer as the request wants it.
func answerOf(q *graphgen.Request, value json.RawMessage) ([]byte, error) {
	var of struct {
		Decisions []verdict `json:"decisions"`
	}
	if json.Unmarshal(value, &of) == nil && len(of.Decisions) > 0 {
		if len(of.Decisions) > 1 {
			return nil, speech.Invalid("command.resume.decisions", "The interrupt is about one call.")
		}
		return of.Decisions[0].answer(q)
	}
	if yes, ok := speech.YesNo(value); ok && speech.IsApproval(q) {
		return speech.Decided(q, yes, "")
	}
	return speech.Given(q, value)
}

func (v *verdict) answer(q *graphgen.Request) ([]byte, error) {
	switch {
	case v.Type == "reject" && q.Kind == graphgen.RequestClientTool:
		return speech.Failed(q, v.Message)
	case v.Type == "approve" || v.Type == "reject":
		return speech.Decided(q, v.Type == "approve", v.Message)
	case v.Type != "edit":
		return nil, speech.Invalid("command.resume.decisions[0].type", "It is approve, edit or reject.")
	case q.Kind != graphgen.RequestToolApproval:
		return nil, speech.Invalid("command.resume.decisions[0].type", "The interrupt has no call to edit.")
	case v.Edited == nil || v.Edited.Name != q.Tool:
		return nil, speech.Invalid("command.resume.decisions[0].edited_action", "It is the call of the same tool, with other arguments.")
	}
	return json.Marshal(map[string]any{"decision": "approve", "arguments": v.Edited.Args})
}
