package langgraph

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/thread"
)

// A request is what a client asks of a run. What would change the run, and is not carried, is refused.
type request struct {
	Assistant string          `json:"assistant_id"`
	Input     json.RawMessage `json:"input"`
	Command   struct {
		Resume json.RawMessage `json:"resume"`
		Update json.RawMessage `json:"update"`
		Goto   json.RawMessage `json:"goto"`
	} `json:"command"`
	StreamMode   modes           `json:"stream_mode"`
	Multitask    string          `json:"multitask_strategy"`
	OnDisconnect string          `json:"on_disconnect"`
	OnCompletion string          `json:"on_completion"`
	Subgraphs    json.RawMessage `json:"stream_subgraphs"`
	Webhook      json.RawMessage `json:"webhook"`
	AfterSeconds json.RawMessage `json:"after_seconds"`
	Checkpoint   json.RawMessage `json:"checkpoint"`
	CheckpointID json.RawMessage `json:"checkpoint_id"`
	Before       json.RawMessage `json:"interrupt_before"`
	After        json.RawMessage `json:"interrupt_after"`

	background bool // the run outlives the request
}

// Modes are what a client is sent of a run.
type modes []string

// UnmarshalJSON reads one mode, or several.
func (m *modes) UnmarshalJSON(data []byte) error {
	one := ""
	if json.Unmarshal(data, &one) == nil && one != "" {
		*m = modes{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(m))
}

func (m modes) has(name string) bool { return slices.Contains(m, name) }

// check reads what does not change from run to run.
func (r *request) check() error {
	for _, f := range []struct {
		name  string
		value json.RawMessage
	}{
		{"command.update", r.Command.Update}, {"command.goto", r.Command.Goto}, {"stream_subgraphs", r.Subgraphs}, {"webhook", r.Webhook},
		{"after_seconds", r.AfterSeconds}, {"checkpoint", r.Checkpoint}, {"checkpoint_id", r.CheckpointID}, {"interrupt_before", r.Before},
		{"interrupt_after", r.After},
	} {
		if isGiven(f.value) {
			return unsupported(f.name, "This server does not do that.")
		}
	}
	if len(r.StreamMode) == 0 {
		r.StreamMode = modes{"values"}
	}
	for _, m := range r.StreamMode {
		switch m {
		case "values", "updates", "messages", "messages-tuple", "custom":
		default:
			return unsupported("stream_mode", "It is values, updates, messages, messages-tuple or custom.")
		}
	}
	switch r.Multitask {
	case "", "reject":
		r.Multitask = ""
	case "enqueue", "interrupt", "rollback":
	default:
		return unsupported("multitask_strategy", "It is reject, enqueue, interrupt or rollback.")
	}
	if r.OnCompletion == "delete" {
		return unsupported("on_completion", "Threads are kept.")
	}
	switch r.OnDisconnect {
	case "", "continue", "cancel":
		return nil
	}
	return speech.Invalid("on_disconnect", "It is cancel or continue.")
}

// how returns whether a client wants a run to begin. One without an input continues.
func (r *request) how() coming {
	if len(r.Command.Resume) > 0 || len(r.Input) == 0 || string(r.Input) == "null" {
		return continues
	}
	return begins
}

// begin begins or continues a run as the client asks.
func begin(c *serve.Call, r *request, stream bool) (*serve.Exchange, error) {
	if err := speech.Read(c, r); err != nil {
		return nil, err
	}
	if string(r.Command.Resume) == "null" {
		r.Command.Resume = nil
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	if err := c.OpenGraph(r.Assistant); err != nil {
		return nil, err
	}
	name := c.Request().PathValue("thread")
	if (name != "" || r.background) && !c.Graph().Durable {
		return nil, &serve.Problem{
			Status: http.StatusUnprocessableEntity, Code: "not_durable", Field: "assistant_id",
			Detail: "Runs of this graph are in no thread: they end with their request, which waits or streams.",
		}
	}
	leave := r.OnDisconnect == "cancel"
	if r.how() == continues {
		return resume(c, name, r.Command.Resume, stream, leave)
	}
	b := serve.Beginning{Thread: name, Input: r.Input, Stream: stream, Leave: leave, Multitask: r.Multitask}
	if c.Graph().Messages {
		var err error
		if b.Conversation, err = conversationOf(r.Input); err != nil {
			return nil, err
		}
	}
	return c.Start(b)
}

// resume continues the run of a thread: by answers, or without a value where it waits for none.
func resume(c *serve.Call, name string, value json.RawMessage, stream, leave bool) (*serve.Exchange, error) {
	if name == "" {
		return nil, speech.Invalid("input", "A run that is in no thread has an input.")
	}
	waits, err := speech.Open(c, name)
	if err != nil {
		return nil, err
	}
	var replies []serve.Reply
	switch {
	case value != nil:
		if replies, err = repliesOf(waits, value); err != nil {
			return nil, err
		}
	case len(waits.Requests) == 0:
		return c.Recover(stream, leave)
	default:
		for i := range waits.Requests {
			q := &waits.Requests[i]
			if q.Kind != graphgen.RequestInterrupt {
				return nil, speech.Invalid("input", "The run waits for an answer: resume it by a command.")
			}
			replies = append(replies, serve.Reply{Request: q.ID, JSON: []byte(`"continue"`)})
		}
	}
	return c.Answer(replies, stream, leave)
}

// locate sets headers with the paths of the run and of its stream. A client that loses the stream connects to the second path; it has the same modes.
func locate(c *serve.Call, x *serve.Exchange, streams modes) {
	if c.Thread() == "" {
		return
	}
	at := "/threads/" + url.PathEscape(c.Thread()) + "/runs/" + url.PathEscape(x.Run())
	c.Header().Set("Content-Location", at)
	if streams != nil {
		c.Header().Set("Location", at+"/stream?"+url.Values{"stream_mode": streams}.Encode())
	}
}

// streamRun answers with the events of a run.
func streamRun(c *serve.Call) error {
	var r request
	x, err := begin(c, &r, true)
	if err != nil {
		return err
	}
	locate(c, x, r.StreamMode)
	return stream(c, x, r.StreamMode, r.how())
}

// waitRun answers with the state in which a run ends.
func waitRun(c *serve.Call) error {
	var r request
	x, err := begin(c, &r, false)
	if err != nil {
		return err
	}
	locate(c, x, nil)
	return wait(c, x)
}

func wait(c *serve.Call, x *serve.Exchange) error {
	end, err := x.Wait()
	if err != nil {
		return err
	}
	return finish(c, x.Run(), end)
}

// finish sends how a run has ended: the state, what it waits for, or an error.
func finish(c *serve.Call, run string, end *serve.End) error {
	switch {
	case end.Problem != nil && end.Status == "running": // another process continues it
		return end.Problem
	case end.Problem != nil:
		return reply(c, map[string]fault{"__error__": faultOf(end.Problem)})
	case end.Status == "paused":
		list := []interrupt{}
		for _, t := range tasksOf(c.Thread(), run, end.Requests) {
			list = append(list, t.Interrupts...)
		}
		return reply(c, map[string][]interrupt{"__interrupt__": list})
	}
	if c.Thread() == "" {
		return c.Reply(http.StatusOK, "application/json", end.Output)
	}
	s, err := c.StateOfRun(run)
	switch {
	case err == nil:
		return c.Reply(http.StatusOK, "application/json", valuesOf(s.Runs[0].Fields))
	case !isForbidden(err):
		return err
	case len(end.Output) == 0:
		return reply(c, map[string]any{})
	}
	return c.Reply(http.StatusOK, "application/json", end.Output)
}

// A runObject is a run, as clients have it.
type runObject struct {
	ID        string         `json:"run_id"`
	Thread    string         `json:"thread_id"`
	Assistant string         `json:"assistant_id"`
	Metadata  map[string]any `json:"metadata"`
	Status    string         `json:"status"`
	Kwargs    map[string]any `json:"kwargs"`
	Multitask string         `json:"multitask_strategy"`
	Created   string         `json:"created_at"`
	Updated   string         `json:"updated_at"`
}

// objectOfRun returns a run. A run that waits has done what it was asked for.
func objectOfRun(c *serve.Call, id string, status thread.Status) runObject {
	shown := "success"
	switch status {
	case thread.Running:
		shown = "running"
	case thread.Failed:
		shown = failed
	case thread.Stopped:
		shown = interrupted
	}
	now, graph := stamp(c.Now()), c.Graph().Name
	return runObject{
		ID: id, Thread: c.Thread(), Assistant: graph, Metadata: map[string]any{"graph_id": graph, "assistant_id": graph}, Status: shown,
		Kwargs: map[string]any{}, Multitask: "reject", Created: now, Updated: now,
	}
}

// createRun begins a run that outlives the request.
func createRun(c *serve.Call) error {
	r := request{background: true}
	x, err := begin(c, &r, false)
	if err != nil {
		return err
	}
	locate(c, x, nil)
	return reply(c, objectOfRun(c, x.Run(), thread.Running))
}

// openRun opens the thread of the path, and returns its last run, which the path names, with its status.
func openRun(c *serve.Call) (run string, status thread.Status, err error) {
	if err := openThread(c); err != nil {
		return "", 0, err
	}
	run, status, err = c.LastRun()
	if asked := c.Request().PathValue("run"); err == nil && asked != "" && asked != run {
		err = &serve.Problem{Status: http.StatusNotFound, Code: "not_found", Field: "run_id", Detail: "The thread has no such run, or a later one."}
	}
	return run, status, err
}

// listRuns sends the last run of a thread.
func listRuns(c *serve.Call) error {
	run, status, err := openRun(c)
	if err != nil {
		return err
	}
	o, list := objectOfRun(c, run, status), []runObject{}
	if asked := c.Request().URL.Query().Get("status"); asked == "" || asked == o.Status {
		list = append(list, o)
	}
	return reply(c, list)
}

func readRun(c *serve.Call) error {
	run, status, err := openRun(c)
	if err != nil {
		return err
	}
	return reply(c, objectOfRun(c, run, status))
}

// joinRun waits for the end of a run.
func joinRun(c *serve.Call) error {
	_, status, err := openRun(c)
	if err != nil {
		return err
	}
	if status != thread.Running {
		run, end, err := c.Ended()
		if err != nil {
			return err
		}
		return finish(c, run, end)
	}
	x, err := c.Join()
	if err != nil {
		return err
	}
	return wait(c, x)
}

// joinStream follows a run, from what follows the last event that the client has.
func joinStream(c *serve.Call) error {
	_, status, err := openRun(c)
	if err != nil {
		return err
	}
	if isSet(c, "cancel_on_disconnect") {
		return unsupported("cancel_on_disconnect", "A run is cancelled with the client that has begun it, by on_disconnect.")
	}
	var r request
	for _, asked := range c.Request().URL.Query()["stream_mode"] {
		var list modes // several are JSON
		if json.Unmarshal([]byte(asked), &list) != nil {
			list = modes{asked}
		}
		r.StreamMode = append(r.StreamMode, list...)
	}
	if err := r.check(); err != nil {
		return err
	}
	after, how := c.Seq(), joins
	switch last := c.Request().Header.Get("Last-Event-ID"); last {
	case "":
		if status != thread.Running {
			how = late
		}
	case "-1": // from the first event on
		after, how = 0, rejoins
	default:
		seen, err := strconv.ParseUint(last, 10, 63)
		if err != nil {
			return speech.Invalid("Last-Event-ID", "It is the ID of an event of the run.")
		}
		after = min(after, seen)
	}
	x, err := c.JoinAfter(after)
	if err != nil {
		return err
	}
	locate(c, x, r.StreamMode)
	return stream(c, x, r.StreamMode, how)
}

// isSet reports whether a parameter of the query is yes.
func isSet(c *serve.Call, name string) bool {
	value := c.Request().URL.Query().Get(name)
	return value == "1" || value == "true"
}

// cancelRun stops a run.
func cancelRun(c *serve.Call) error {
	_, status, err := openRun(c)
	if err != nil {
		return err
	}
	if action := c.Request().URL.Query().Get("action"); action != "" && action != "interrupt" {
		return unsupported("action", "It is interrupt: what a run has saved is kept.")
	}
	if status == thread.Running {
		if err := c.Stop(); err != nil {
			return err
		}
	}
	if isSet(c, "wait") {
		if status == thread.Running { // another process may work on it
			x, err := c.Join()
			if err == nil {
				_, err = x.Wait()
			}
			if err != nil {
				return err
			}
		}
		return c.NoContent()
	}
	return c.Reply(http.StatusAccepted, "application/json", []byte("null"))
}
