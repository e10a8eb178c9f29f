// Package a2a serves graphs as agents of A2A, version 1.0, over JSON-RPC.
//
//	h, err := serve.New(options, serve.Durable("support", m))
//	h.Handle("/a2a", a2a.New(h, a2a.Options{}))
//
// and in a client:
//
//	const client = await new ClientFactory().createFromUrl("https://shop.example/a2a/support/");
//
// Each graph is an agent with a card of its own. A context is a thread, and a task a run. A message starts a run by its text, or by a part with data, which is
// its input. A run that waits is a task that requires input: the next message of the task has the answer. docs/guides/serve-clients.md has what this wire
// does not carry.
package a2a

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/jsonrpc"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// Options are the options of New.
type Options struct {
	URL string // by which clients reach the wire, such as https://shop.example/a2a; empty: by which they ask for a card
}

// New returns a handler for the durable graphs of h: POST /{graph}, and its card.
func New(h *serve.Handler, o Options) http.Handler {
	w := &wire{o}
	return h.Mount(serve.Wire{
		Routes: []serve.WireRoute{
			{Method: "GET", Path: "/{graph}/.well-known/agent-card.json", Do: w.card},
			{Method: "POST", Path: "/{graph}", Do: w.receive},
		},
		Headers: []string{"A2A-Extensions", "A2A-Version"},
		Refuse:  jsonrpc.Refuse(faultOf),
	})
}

type wire struct{ Options }

// version is the version of the protocol.
const version = "1.0"

// card sends the card of a graph.
func (w *wire) card(c *serve.Call) error {
	if _, err := c.Graphs(); err != nil {
		return err
	}
	if err := open(c); err != nil {
		return err
	}
	g, r := c.Graph(), c.Request()
	url := strings.TrimSuffix(w.URL, "/") + "/" + g.Name
	if w.URL == "" {
		scheme := "http://"
		if r.TLS != nil {
			scheme = "https://"
		}
		path, _, _ := strings.Cut(r.RequestURI, "/.well-known/")
		url = scheme + r.Host + path
	}
	doc := c.Describe().Doc
	if doc == "" {
		doc = "The graph " + g.Name + "."
	}
	modes := []string{"text/plain", "application/json"}
	data, err := json.Marshal(map[string]any{
		"name": g.Name, "description": doc, "version": "1", "defaultInputModes": modes, "defaultOutputModes": modes,
		"supportedInterfaces": []map[string]string{{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": version}},
		"capabilities":        map[string]bool{"streaming": true},
		"skills":              []map[string]any{{"id": g.Name, "name": g.Name, "description": doc, "tags": []string{"graph"}}},
	})
	if err != nil {
		return err
	}
	return c.Reply(http.StatusOK, "application/json", data)
}

// open finds the graph of the path. Tasks need threads.
func open(c *serve.Call) error {
	if err := c.OpenGraph(c.Request().PathValue("graph")); err != nil {
		return err
	}
	if !c.Graph().Durable {
		return &serve.Problem{Status: http.StatusNotFound, Code: "not_durable", Field: "graph", Detail: "The graph is not durable: it has no tasks."}
	}
	return nil
}

// The codes of errors, besides the ones of JSON-RPC.
const (
	codeNotFound    = -32001
	codeCancel      = -32002
	codeUnsupported = -32004
	codeVersion     = -32009
)

// faultOf returns what a client is sent of a problem.
func faultOf(p *serve.Problem) *jsonrpc.Fault {
	f := &jsonrpc.Fault{Code: jsonrpc.Params, Message: p.Error(), Data: []any{map[string]any{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": p.Code, "domain": "graphgen", "metadata": map[string]string{"field": p.Field},
	}}}
	switch {
	case p.Code == "json":
		f.Code = jsonrpc.Parse
	case p.Code == "not_found":
		f.Code = codeNotFound
	case p.Status == http.StatusConflict:
		f.Code = codeUnsupported
	case p.Status >= http.StatusInternalServerError:
		f.Code = jsonrpc.Internal
	}
	return f
}

// receive answers a request.
func (w *wire) receive(c *serve.Call) error {
	if err := open(c); err != nil {
		return err
	}
	body, err := c.Body()
	if err != nil {
		return err
	}
	var r jsonrpc.Request
	switch {
	case json.Unmarshal(body, &r) != nil:
		err = &jsonrpc.Fault{Code: jsonrpc.Parse, Message: "the body is no request of JSON-RPC"}
	case !r.Valid() || len(r.ID) == 0:
		r.ID, err = nil, &jsonrpc.Fault{Code: jsonrpc.Invalid, Message: "the body is no request of JSON-RPC 2.0"}
	case c.Request().Header.Get("A2A-Version") != version:
		err = &jsonrpc.Fault{Code: codeVersion, Message: "the server speaks version 1.0"}
	}
	var result any
	if err == nil {
		result, err = do(c, &r)
	}
	if err == nil && result == nil { // it was streamed
		return nil
	}
	var f *jsonrpc.Fault
	if err != nil {
		if p := serve.ProblemOf(err); p.Status == http.StatusForbidden || p.Retry > 0 {
			return err
		}
		f = jsonrpc.FaultOf(c, err, faultOf)
	}
	return c.Reply(http.StatusOK, "application/json", jsonrpc.Answer(r.ID, result, f))
}

// do does what a request wants. A result that is nil was streamed.
func do(c *serve.Call, r *jsonrpc.Request) (any, error) {
	switch r.Method {
	case "SendMessage", "SendStreamingMessage":
		return send(c, r)
	case "GetTask", "CancelTask", "SubscribeToTask":
	default:
		return nil, &jsonrpc.Fault{Code: jsonrpc.Method, Message: "the server does not have this method"}
	}
	var p struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(r.Params, &p) != nil {
		return nil, &jsonrpc.Fault{Code: jsonrpc.Params, Message: "the parameters are not of a task"}
	}
	at, end, err := find(c, p.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case r.Method == "GetTask":
		return taskOf(c, at.Run, end), nil
	case end.Status != "running":
		code := codeUnsupported
		if r.Method == "CancelTask" {
			code = codeCancel
		}
		return nil, &jsonrpc.Fault{Code: code, Message: "no run works on the task"}
	case r.Method == "CancelTask":
		if err := c.Stop(); err != nil {
			return nil, err
		}
		return taskOf(c, at.Run, &serve.End{Status: "stopped"}), nil
	}
	x, err := c.Join()
	if err != nil {
		return nil, err
	}
	return nil, stream(c, r, x)
}

// find opens the thread of a task, which must be of its last run.
func find(c *serve.Call, id string) (speech.Call, *serve.End, error) {
	none := &serve.Problem{Status: http.StatusNotFound, Code: "not_found", Field: "task", Detail: "There is no such task."}
	at, ok := speech.ParseCall(id)
	if !ok {
		return at, nil, none
	}
	if err := c.OpenThread(at.Thread); err != nil {
		if serve.IsNotFound(err) {
			return at, nil, none
		}
		return at, nil, err
	}
	run, end, err := c.Ended()
	if err == nil && run != at.Run {
		return at, nil, none
	}
	return at, end, err
}

// A part is a part of a message.
type part struct {
	Text      *string         `json:"text,omitempty"`
	Raw       string          `json:"raw,omitempty"`
	URL       string          `json:"url,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
}

// A message is a message of a client, or of a task.
type message struct {
	ID      string `json:"messageId"`
	Context string `json:"contextId,omitempty"`
	Task    string `json:"taskId,omitempty"`
	Role    string `json:"role"`
	Parts   []part `json:"parts"`
}

// send starts a run by a message, or continues one.
func send(c *serve.Call, r *jsonrpc.Request) (any, error) {
	var p struct {
		Message       message `json:"message"`
		Configuration struct {
			Immediately bool `json:"returnImmediately"`
		} `json:"configuration"`
	}
	streams := r.Method == "SendStreamingMessage"
	if json.Unmarshal(r.Params, &p) != nil || p.Message.Role != "ROLE_USER" || len(p.Message.Parts) == 0 {
		return nil, &jsonrpc.Fault{Code: jsonrpc.Params, Message: "the message is not one of a user, with parts"}
	}
	if p.Configuration.Immediately {
		return nil, &jsonrpc.Fault{Code: codeUnsupported, Message: "a message is waited for, or streamed"}
	}
	of, data, err := read(&p.Message)
	if err != nil {
		return nil, err
	}
	var x *serve.Exchange
	switch {
	case p.Message.Task != "":
		x, err = respond(c, &p.Message, of.Text, data, streams)
	case data != nil:
		x, err = c.Start(serve.Beginning{Thread: p.Message.Context, Input: data, Stream: streams})
	default:
		turns := &serve.Conversation{Messages: []chat.Message{of}, Text: of.Text}
		x, err = c.Start(serve.Beginning{Thread: p.Message.Context, Conversation: turns, Stream: streams})
	}
	if err != nil {
		return nil, err
	}
	if streams {
		return nil, stream(c, r, x)
	}
	end, err := x.Wait()
	if err != nil {
		return nil, err
	}
	return map[string]any{"task": taskOf(c, x.Run(), end)}, nil
}

// read returns a message as a model has it, and the data of its only part, if it is of data.
func read(m *message) (of chat.Message, data json.RawMessage, err error) {
	of.Role = chat.RoleUser
	for i := range m.Parts {
		p, at := &m.Parts[i], speech.Index("message.parts", i)
		switch {
		case p.Text != nil:
			if of.Text != "" {
				of.Text += "\n"
			}
			of.Text += *p.Text
		case p.Raw != "" || p.URL != "":
			link := p.URL
			if p.Raw != "" {
				link = "data:" + p.MediaType + ";base64," + p.Raw
			}
			file, err := speech.File(link, p.MediaType, p.Filename)
			if err != nil {
				return of, nil, speech.Invalid(at, err.Error())
			}
			of.Media = append(of.Media, file)
		case len(p.Data) > 0 && len(m.Parts) == 1:
			return of, p.Data, nil
		default:
			return of, nil, speech.Invalid(at, "It has a text or a file, or it is the only part, with data.")
		}
	}
	return of, nil, nil
}

// respond answers the requests of a task: its only one by a text or by data, several by an object with their IDs.
func respond(c *serve.Call, m *message, text string, data json.RawMessage, streams bool) (*serve.Exchange, error) {
	at, end, err := find(c, m.Task)
	if err != nil {
		return nil, err
	}
	if m.Context != "" && m.Context != at.Thread {
		return nil, speech.Invalid("message.contextId", "The task is of another context.")
	}
	if end.Status != "paused" {
		return nil, speech.Closed()
	}
	requests, err := c.Requests()
	if err != nil {
		return nil, err
	}
	var replies []serve.Reply
	var several map[string]json.RawMessage
	for i := range requests {
		q := &requests[i]
		var value []byte
		switch {
		case len(requests) == 1 && data == nil:
			value, err = speech.Written(q, text)
		case len(requests) == 1:
			value, err = speech.Given(q, data)
		case json.Unmarshal(data, &several) != nil:
			return nil, speech.Invalid("message.parts", "Several requests are open: the part has data, with the answers by their IDs.")
		case several[q.ID] == nil:
			continue
		default:
			value, err = speech.Given(q, several[q.ID])
		}
		if err != nil {
			return nil, err
		}
		replies = append(replies, serve.Reply{Request: q.ID, JSON: value})
	}
	return c.Answer(replies, streams, false)
}

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

// stream answers with the events of a task.
func stream(c *serve.Call, r *jsonrpc.Request, x *serve.Exchange) error {
	w := &writer{call: c, request: r, run: x.Run()}
	return x.Events(func(to *serve.Stream) serve.Listener {
		w.to = to
		w.speech = speech.Texts{Call: c, Voice: w, Mute: true}
		return serve.Listener{Begin: w.begin, Live: w.live, End: w.end}
	})
}

// A writer writes the events of a task.
type writer struct {
	call    *serve.Call
	request *jsonrpc.Request
	to      *serve.Stream
	speech  speech.Texts
	run     string
	started bool // the artifact that is open has a piece
}

func (w *writer) send(name string, event any) error {
	return w.to.Send("", "", jsonrpc.Answer(w.request.ID, map[string]any{name: event}, nil))
}

// An update is a change of a task.
type update struct {
	Task     string    `json:"taskId"`
	Context  string    `json:"contextId"`
	Status   *status   `json:"status,omitempty"`
	Artifact *artifact `json:"artifact,omitempty"`
	Append   bool      `json:"append,omitempty"`
	Last     bool      `json:"lastChunk,omitempty"`
}

func (w *writer) update() update { return update{Task: idOf(w.call, w.run), Context: w.call.Thread()} }

func (w *writer) begin() error {
	return w.send("task", taskOf(w.call, w.run, &serve.End{Status: "running"}))
}

// live writes messages of nodes of kind say as what the task is at, and answers as artifacts.
func (w *writer) live(e *graphgen.Event) error {
	if text := e.Message(); text != "" {
		u := w.update()
		s := statusOf(w.call, w.run, &serve.End{Status: "running"})
		s.Message = speaking(w.call, w.run, e.Node, text)
		u.Status = &s
		return w.send("statusUpdate", u)
	}
	return w.speech.Live(e)
}

// Open, Piece, Close and Void write an artifact.
func (w *writer) Open(string) error {
	w.started = false
	return nil
}

func (w *writer) Piece(id, text string) error {
	u := w.update()
	u.Artifact, u.Append = &artifact{id, []part{{Text: &text}}}, w.started
	w.started = true
	return w.send("artifactUpdate", u)
}

func (w *writer) Close(id string) error {
	u, none := w.update(), ""
	u.Artifact, u.Append, u.Last = &artifact{id, []part{{Text: &none}}}, true, true
	return w.send("artifactUpdate", u)
}

// Void replaces what does not count.
func (w *writer) Void(id string) error {
	u, none := w.update(), ""
	u.Artifact, u.Last = &artifact{id, []part{{Text: &none}}}, true
	return w.send("artifactUpdate", u)
}

// end writes how the run has ended, or what it waits for.
func (w *writer) end(e *serve.End) error {
	if e.Status == "completed" && e.Problem == nil {
		if err := w.speech.End(&serve.End{}); err != nil { // what is open
			return err
		}
		u, output := w.update(), outputOf(e)
		u.Artifact, u.Last = &output, true
		if err := w.send("artifactUpdate", u); err != nil {
			return err
		}
	}
	u, s := w.update(), statusOf(w.call, w.run, e)
	u.Status = &s
	return w.send("statusUpdate", u)
}
