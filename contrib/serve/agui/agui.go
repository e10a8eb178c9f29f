// Package agui serves graphs to front ends that speak AG-UI, version 1.0, such as CopilotKit.
//
//	h, err := serve.New(options, serve.Durable("support", m))
//	h.Handle("/agui", agui.New(h))
//
// and in a page:
//
//	const agent = new HttpAgent({ url: "/agui/support", threadId });
//
// The thread of a client is the thread. A message of a user starts a run. What a run waits for are interrupts of its end, and calls of tools of the client,
// which the next run of the client answers. The state of the graph is a snapshot, and patches by what each step writes. The README of serve has what
// this wire cannot carry.
package agui

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/thread"
)

// Options are the options of New.
type Options struct {
	StopOnDisconnect bool // a run is stopped when its client goes, such as by abortRun; without it the run continues
}

// New returns a handler for the graphs of h that take messages: POST /{graph}.
func New(h *serve.Handler, options ...Options) http.Handler {
	w := &wire{}
	if len(options) > 0 {
		w.Options = options[0]
	}
	return h.Mount(serve.Wire{Routes: []serve.WireRoute{{Method: "POST", Path: "/{graph}", Do: w.run}}, Refuse: refuse})
}

type wire struct{ Options }

// refuse answers with the event of a run that has failed.
func refuse(w http.ResponseWriter, p *serve.Problem) {
	p.WriteRetry(w.Header())
	data, _ := json.Marshal(failure(p)) // of texts
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(data, '\n')) // a client that is gone
}

func failure(p *serve.Problem) event {
	return event{Type: "RUN_ERROR", Message: p.Error(), Code: p.Code}
}

// A request is what a run is asked for: RunAgentInput. Tools and the state of the client are not among it: the graph has its own.
type request struct {
	ThreadID string    `json:"threadId"`
	RunID    string    `json:"runId"`
	Messages []message `json:"messages"`
	Resume   []struct {
		ID      string          `json:"interruptId"`
		Status  string          `json:"status"`
		Payload json.RawMessage `json:"payload"`
	} `json:"resume"`
}

// run starts a run by a message of a user, or continues one by answers.
func (w *wire) run(c *serve.Call) error {
	if err := c.OpenGraph(c.Request().PathValue("graph")); err != nil {
		return err
	}
	var r request
	if err := speech.Read(c, &r); err != nil {
		return err
	}
	switch {
	case r.ThreadID == "" && c.Graph().Durable:
		return speech.Invalid("threadId", "The run has no thread.")
	case r.RunID == "":
		return speech.Invalid("runId", "The run has no ID.")
	}
	last := len(r.Messages) - 1
	if len(r.Resume) > 0 || last >= 0 && r.Messages[last].Role == "tool" {
		return w.answer(c, &r)
	}
	list, err := conversation(r.Messages)
	if err != nil {
		return err
	}
	turns, err := speech.Conversation(list)
	if err != nil {
		return err
	}
	x, err := c.Start(serve.Beginning{Thread: r.ThreadID, Conversation: turns, Stream: true, Leave: w.StopOnDisconnect})
	if err != nil {
		return err
	}
	return stream(c, x, &r, nil)
}

// answer continues a run by entries that resume it, and by results of tools of the client.
func (w *wire) answer(c *serve.Call, r *request) error {
	waits, err := speech.Open(c, r.ThreadID)
	if err != nil {
		return err
	}
	var replies []serve.Reply
	var settled []event
	for i := range r.Resume {
		e := &r.Resume[i]
		q := waits.Find(e.ID)
		if q == nil {
			return speech.Closed()
		}
		data, err := resumes(q, c.Now(), e.Status, e.Payload)
		if err != nil {
			return err
		}
		replies = append(replies, serve.Reply{Request: q.ID, JSON: data})
		if q.Kind == graphgen.RequestToolApproval {
			text := string(data)
			settled = append(settled, event{Type: "TOOL_CALL_RESULT", MessageID: "result_" + e.ID, ToolCallID: e.ID, Content: &text, Role: "tool"})
		}
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		q := waits.Find(m.ToolCallID)
		if m.Role != "tool" || q == nil || q.Kind != graphgen.RequestClientTool {
			continue
		}
		data, err := m.result(q)
		if err != nil {
			return err
		}
		replies = append(replies, serve.Reply{Request: q.ID, JSON: data})
	}
	if len(replies) == 0 {
		return speech.Closed()
	}
	x, err := c.Answer(replies, true, w.StopOnDisconnect)
	if err != nil {
		return err
	}
	return stream(c, x, r, settled)
}

// resumes returns the answer of an entry. What was left undecided is a no, or a tool that has failed.
func resumes(q *graphgen.Request, now time.Time, status string, payload json.RawMessage) ([]byte, error) {
	switch status {
	case "cancelled":
		switch {
		case !q.Deadline.IsZero() && now.After(q.Deadline): // any answer is late
			return []byte("null"), nil
		case q.Kind == graphgen.RequestClientTool:
			return speech.Failed(q, "it was cancelled")
		}
		return speech.Decided(q, false, "")
	case "resolved":
	default:
		return nil, speech.Invalid("resume.status", "It is resolved or cancelled.")
	}
	var decided struct {
		Approved *bool
		Reason   string
	}
	yes := false
	switch {
	case speech.IsApproval(q) && json.Unmarshal(payload, &yes) == nil && string(payload) != "null":
		return speech.Decided(q, yes, "")
	case speech.IsApproval(q) && json.Unmarshal(payload, &decided) == nil && decided.Approved != nil:
		return speech.Decided(q, *decided.Approved, decided.Reason)
	case len(payload) == 0:
		return nil, speech.Invalid("resume.payload", "The answer has no value.")
	}
	return payload, nil
}

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
