package a2a

import (
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// A task is a run.
type task struct {
	ID        string     `json:"id"`
	Context   string     `json:"contextId"`
	Status    status     `json:"status"`
	Artifacts []artifact `json:"artifacts,omitempty"`
}

type status struct {
	State   string   `json:"state"`
	Message *message `json:"message,omitempty"`
	Time    string   `json:"timestamp,omitempty"`
}

type artifact struct {
	ID    string `json:"artifactId"`
	Parts []part `json:"parts"`
}

// taskOf returns a run that has ended, or waits.
func taskOf(c *serve.Call, run string, e *serve.End) task {
	t := task{ID: idOf(c, run), Context: c.Thread(), Status: statusOf(c, run, e)}
	if e.Status == "completed" && e.Problem == nil {
		t.Artifacts = []artifact{outputOf(e)}
	}
	return t
}

func idOf(c *serve.Call, run string) string {
	return speech.Call{Thread: c.Thread(), Run: run}.String()
}

// outputOf returns the output of a run: its text, and its data.
func outputOf(e *serve.End) artifact {
	return artifact{"output", []part{{Text: &e.Text}, {Data: e.Output, MediaType: "application/json"}}}
}

// statusOf returns the status of a task.
func statusOf(c *serve.Call, run string, e *serve.End) status {
	s := status{Time: c.Now().UTC().Format(time.RFC3339)}
	text := ""
	switch {
	case e.Problem != nil && e.Status == "running":
		s.State = "TASK_STATE_WORKING"
	case e.Problem != nil:
		s.State, text = "TASK_STATE_FAILED", e.Problem.Error()
	case e.Status == "paused":
		s.State = "TASK_STATE_INPUT_REQUIRED"
		s.Message = asking(c, run, e.Requests)
	case e.Status == "stopped":
		s.State = "TASK_STATE_CANCELED"
	case e.Status == "running":
		s.State = "TASK_STATE_WORKING"
	case e.Status == "completed":
		s.State = "TASK_STATE_COMPLETED"
	default:
		s.State = "TASK_STATE_FAILED"
	}
	if text != "" {
		s.Message = speaking(c, run, "problem", text)
	}
	return s
}

func speaking(c *serve.Call, run, name, text string) *message {
	return &message{ID: run + "-" + name, Context: c.Thread(), Task: idOf(c, run), Role: "ROLE_AGENT", Parts: []part{{Text: &text}}}
}

// asking returns what a run waits for: the questions, and the requests as data.
func asking(c *serve.Call, run string, requests []graphgen.Request) *message {
	var text []string
	name := "requests"
	for i := range requests {
		text = append(text, strings.TrimSpace(requests[i].Question+" "+requests[i].Tool))
		name = requests[i].ID
	}
	m := speaking(c, run, name, strings.Join(text, "\n"))
	if data, err := graphgen.AppendRequests(nil, requests); err == nil {
		m.Parts = append(m.Parts, part{Data: data, MediaType: "application/json"})
	}
	return m
}
