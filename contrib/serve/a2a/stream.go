package a2a

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/jsonrpc"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

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
		s.Message = speaking(w.call, w.run, e.Node+"-"+speech.Number(e), text)
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
