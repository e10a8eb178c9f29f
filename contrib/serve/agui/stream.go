package agui

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/thread"
)

// stream answers with a run as events.
func stream(c *serve.Call, x *serve.Exchange, r *request, settled []event) error {
	w := &writer{call: c, request: r, run: x.Run(), settled: settled, known: x.State()}
	return x.Events(func(s *serve.Stream) serve.Listener {
		w.to = s
		w.speech = speech.Texts{Call: c, Voice: w}
		return serve.Listener{Begin: w.begin, Step: w.step, Live: w.live, End: w.end}
	})
}

// An event is an event of AG-UI. Empty members are left out.
type event struct {
	Type            string          `json:"type"`
	ThreadID        string          `json:"threadId,omitempty"`
	RunID           string          `json:"runId,omitempty"`
	ProtocolVersion string          `json:"protocolVersion,omitempty"`
	MessageID       string          `json:"messageId,omitempty"`
	Role            string          `json:"role,omitempty"`
	Delta           any             `json:"delta,omitempty"`
	StepName        string          `json:"stepName,omitempty"`
	Snapshot        json.RawMessage `json:"snapshot,omitempty"`
	ToolCallID      string          `json:"toolCallId,omitempty"`
	ToolCallName    string          `json:"toolCallName,omitempty"`
	Content         *string         `json:"content,omitempty"`
	Name            string          `json:"name,omitempty"`
	Value           any             `json:"value,omitempty"`
	Outcome         any             `json:"outcome,omitempty"`
	Result          json.RawMessage `json:"result,omitempty"`
	Message         string          `json:"message,omitempty"`
	Code            string          `json:"code,omitempty"`
}

// A writer writes the events of a run.
type writer struct {
	call    *serve.Call
	to      *serve.Stream
	request *request
	speech  speech.Texts
	run     string
	settled []event
	known   []thread.Value // the state that the client begins with
	state   state
	steps   []string // that are open
}

func (w *writer) send(e event) error {
	data, err := json.Marshal(e)
	if err != nil {
		w.call.Report(err)
		return err
	}
	return w.to.Send("", "", data)
}

// begin opens the run, with the state that it has.
func (w *writer) begin() error {
	list := append([]event{{Type: "RUN_STARTED", ThreadID: w.request.ThreadID, RunID: w.request.RunID, ProtocolVersion: "1.0"}}, w.settled...)
	if w.known != nil {
		list = append(list, event{Type: "STATE_SNAPSHOT", Snapshot: w.state.snapshot(w.known)})
	}
	for _, e := range list {
		if err := w.send(e); err != nil {
			return err
		}
	}
	return nil
}

// step writes what a step has changed of the state.
func (w *writer) step(s *thread.Step) error {
	for i := range s.Changes {
		c := &s.Changes[i]
		if c.At != "" || len(c.Written) == 0 && s.Run == "" { // the states of child runs are not the state of the graph
			continue
		}
		e := event{Type: "STATE_SNAPSHOT"}
		if s.Run != "" {
			e.Snapshot = w.state.snapshot(c.Written)
		} else {
			e.Type, e.Delta = "STATE_DELTA", w.state.patch(c.Written)
		}
		if err := w.send(e); err != nil {
			return err
		}
	}
	return nil
}

// live writes what happens.
func (w *writer) live(e *graphgen.Event) error {
	name := stepName(e)
	switch e.Kind {
	case graphgen.NodeStart:
		if !slices.Contains(w.steps, name) {
			w.steps = append(w.steps, name)
			if err := w.send(event{Type: "STEP_STARTED", StepName: name}); err != nil {
				return err
			}
		}
	case graphgen.Say:
		if data := speech.Payload(e); data != nil {
			if err := w.send(event{Type: "CUSTOM", Name: "say", Value: map[string]any{"node": e.Node, "payload": data}}); err != nil {
				return err
			}
		}
	}
	if err := w.speech.Live(e); err != nil {
		return err
	}
	if i := slices.Index(w.steps, name); i >= 0 && (e.Kind == graphgen.NodeEnd || e.Kind == graphgen.NodeFailed) {
		w.steps = slices.Delete(w.steps, i, i+1)
		return w.send(event{Type: "STEP_FINISHED", StepName: name})
	}
	return nil
}

// stepName returns the name of a step, which no other one has at the same time.
func stepName(e *graphgen.Event) string {
	if e.Run == nil {
		return e.Node
	}
	var parts []string
	for _, part := range []string{e.Run.Within, e.Run.Branch, e.Node} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}

// Open, Piece and Close write a message. One that does not count cannot be taken back: it is closed.
func (w *writer) Open(id string) error {
	return w.send(event{Type: "TEXT_MESSAGE_START", MessageID: w.message(id), Role: "assistant"})
}

func (w *writer) Piece(id, text string) error {
	return w.send(event{Type: "TEXT_MESSAGE_CONTENT", MessageID: w.message(id), Delta: text})
}

func (w *writer) Close(id string) error {
	return w.send(event{Type: "TEXT_MESSAGE_END", MessageID: w.message(id)})
}

func (w *writer) Void(id string) error { return w.Close(id) }

// message returns the ID of a message, which no other one of the thread has.
func (w *writer) message(id string) string {
	switch {
	case w.run == "":
		return w.request.RunID + "-" + id
	case strings.HasPrefix(id, w.run):
		return id
	}
	return w.run + "-" + id
}

// end writes how the run has ended, or what it waits for.
func (w *writer) end(e *serve.End) error {
	if err := w.speech.End(e); err != nil {
		return err
	}
	for _, name := range slices.Backward(w.steps) { // those that wait
		if err := w.send(event{Type: "STEP_FINISHED", StepName: name}); err != nil {
			return err
		}
	}
	w.steps = nil
	if e.Problem != nil {
		return w.send(failure(e.Problem))
	}
	end := event{Type: "RUN_FINISHED", ThreadID: w.request.ThreadID, RunID: w.request.RunID, Result: e.Output}
	switch e.Status {
	case "stopped":
		end.Outcome = outcome{Type: "cancelled"}
	case "paused":
		o, err := w.ask(e.Requests)
		if err != nil {
			return err
		}
		end.Outcome = o
	}
	return w.send(end)
}

// An outcome is how a run has ended.
type outcome struct {
	Type       string      `json:"type"`
	Pending    []string    `json:"pendingToolCallIds,omitempty"`
	Interrupts []interrupt `json:"interrupts,omitempty"`
}

// An interrupt is what a run waits for.
type interrupt struct {
	ID         string          `json:"id"`
	Reason     string          `json:"reason"`
	Message    string          `json:"message,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	Schema     json.RawMessage `json:"responseSchema,omitempty"`
	Expires    string          `json:"expiresAt,omitempty"`
	Metadata   any             `json:"metadata,omitempty"`
}

// ask writes the calls that requests are about, and returns the outcome: of calls of tools of the client alone, the run of the client is complete.
func (w *writer) ask(requests []graphgen.Request) (outcome, error) {
	o := outcome{Type: "interrupt"}
	for i := range requests {
		q := &requests[i]
		id := speech.Call{Thread: w.call.Thread(), Run: w.run, Request: q.ID}.String()
		if q.Tool != "" {
			for _, e := range []event{
				{Type: "TOOL_CALL_START", ToolCallID: id, ToolCallName: q.Tool},
				{Type: "TOOL_CALL_ARGS", ToolCallID: id, Delta: string(speech.Arguments(q))},
				{Type: "TOOL_CALL_END", ToolCallID: id},
			} {
				if err := w.send(e); err != nil {
					return o, err
				}
			}
		}
		if q.Kind == graphgen.RequestClientTool {
			o.Pending = append(o.Pending, id)
			continue
		}
		in := interrupt{ID: id, Reason: string(q.Kind), Message: q.Question, Schema: speech.Schema(q)}
		if q.Tool != "" {
			in.ToolCallID = id
		} else {
			in.Metadata = map[string]any{"node": q.Node, "request": speech.Arguments(q)}
		}
		if !q.Deadline.IsZero() {
			in.Expires = q.Deadline.UTC().Format(time.RFC3339Nano)
		}
		o.Interrupts = append(o.Interrupts, in)
	}
	if len(o.Interrupts) == 0 {
		o.Type = "success"
	} else {
		o.Pending = nil // they are the calls without a result
	}
	return o, nil
}
