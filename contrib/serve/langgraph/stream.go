package langgraph

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
	"github.com/graphgen/graphgen/thread"
)

// A coming is how a client has reached a run.
type coming uint8

const (
	begins    coming = iota
	continues        // it has answered, or recovered it
	joins            // it has had what was before
	rejoins          // it wants all of the run
	late             // the run has ended, and it wants what follows: nothing
)

// stream answers with the events of a run.
func stream(c *serve.Call, x *serve.Exchange, m modes, how coming) error {
	w := &writer{call: c, modes: m, run: x.Run(), how: how, texts: map[string]*text{}}
	if how == continues || how == joins {
		w.fields = x.State()
	}
	return x.Events(func(s *serve.Stream) serve.Listener {
		w.to = s
		w.speech = speech.Texts{Call: c, Voice: w, Mute: true}
		return serve.Listener{Begin: w.begin, Step: w.step, Live: w.live, End: w.end}
	})
}

// A writer writes the events of a run.
type writer struct {
	call   *serve.Call
	to     *serve.Stream
	speech speech.Texts
	modes  modes
	run    string
	how    coming
	fields []thread.Value   // of the state that the client has
	node   string           // of the last event
	texts  map[string]*text // that are open
}

// A text is the answer of a model so far.
type text struct{ node, all string }

// An event is one of the stream.
type event struct {
	name string
	data any
}

func (w *writer) send(id string, e event) error {
	data, err := json.Marshal(e.data)
	if err != nil {
		w.call.Report(err)
		return err
	}
	return w.to.Send(id, e.name, data)
}

// begin opens the run, with the state that it has.
func (w *writer) begin() error {
	if w.how != begins && w.how != continues {
		return nil
	}
	of := map[string]any{"attempt": 1}
	if w.run != "" {
		of["run_id"] = w.run
	}
	if err := w.send("", event{"metadata", of}); err != nil {
		return err
	}
	if w.fields != nil && w.modes.has("values") {
		return w.send("", event{"values", valuesOf(w.fields)})
	}
	return nil
}

// step writes what a record has of the outermost run. Only its last event has its number: a client that has this one has all.
func (w *writer) step(s *thread.Step) error {
	switch {
	case s.Run == w.run && w.how == rejoins:
		w.how = joins
	case w.how == rejoins: // of an earlier run
		return nil
	}
	var list []event
	for i := range s.Changes {
		c := &s.Changes[i]
		if c.At != "" {
			continue
		}
		if s.Run != "" {
			w.fields = nil
		}
		if c.Ended && c.Node != "" && w.modes.has("updates") {
			list = append(list, event{"updates", map[string]json.RawMessage{c.Node: valuesOf(c.Written)}})
		}
		w.change(c.Written)
		if (s.Run != "" || len(c.Written) > 0) && w.modes.has("values") {
			list = append(list, event{"values", valuesOf(w.fields)})
		}
	}
	for i, e := range list {
		id := ""
		if i == len(list)-1 {
			id = strconv.FormatUint(s.Seq, 10)
		}
		if err := w.send(id, e); err != nil {
			return err
		}
	}
	return nil
}

// change notes what fields have become.
func (w *writer) change(written []thread.Value) {
	for _, v := range written {
		i := slices.IndexFunc(w.fields, func(f thread.Value) bool { return f.Name == v.Name })
		if i < 0 {
			v.Added = false
			w.fields = append(w.fields, v)
			continue
		}
		if v.Added {
			v.JSON, v.Added = joined(w.fields[i].JSON, v.JSON), false
		}
		w.fields[i] = v
	}
}

// joined returns a list with what was added to it.
func joined(list, added []byte) []byte {
	var a, b []json.RawMessage
	if json.Unmarshal(list, &a) != nil || json.Unmarshal(added, &b) != nil {
		return added
	}
	data, err := json.Marshal(append(a, b...))
	if err != nil {
		return added
	}
	return data
}

// live writes the messages of say nodes, and the pieces of answers.
func (w *writer) live(e *graphgen.Event) error {
	if w.how == rejoins {
		return nil
	}
	w.node = e.Node
	if said := e.Message(); said != "" && w.modes.has("custom") {
		of := map[string]any{"node": e.Node, "text": said}
		if data := speech.Payload(e); data != nil {
			of["payload"] = data
		}
		if err := w.send("", event{"custom", of}); err != nil {
			return err
		}
	}
	return w.speech.Live(e)
}

// about returns what is known of a message.
func (w *writer) about(node string) map[string]any {
	graph := w.call.Graph().Name
	return map[string]any{"graph_id": graph, "assistant_id": graph, "thread_id": w.call.Thread(), "run_id": w.run, "langgraph_node": node}
}

// Open, Piece and Close write an answer: each piece, or what there is so far.
func (w *writer) Open(id string) error {
	w.texts[id] = &text{node: w.node}
	if !w.modes.has("messages") {
		return nil
	}
	return w.send("", event{"messages/metadata", map[string]any{id: map[string]any{"metadata": w.about(w.node)}}})
}

func (w *writer) Piece(id, piece string) error {
	t := w.texts[id]
	t.all += piece
	if w.modes.has("messages-tuple") {
		if err := w.send("", event{"messages", []any{answer(id, piece), w.about(t.node)}}); err != nil {
			return err
		}
	}
	if !w.modes.has("messages") {
		return nil
	}
	return w.send("", event{"messages/partial", []message{answer(id, t.all)}})
}

func (w *writer) Close(id string) error {
	t := w.texts[id]
	delete(w.texts, id)
	if !w.modes.has("messages") {
		return nil
	}
	return w.send("", event{"messages/complete", []message{answer(id, t.all)}})
}

// Void takes back nothing: a client keeps what was sent, and the message of the next attempt has another ID.
func (w *writer) Void(id string) error {
	delete(w.texts, id)
	return nil
}

// end writes how the run has ended, or what it waits for.
func (w *writer) end(e *serve.End) error {
	if err := w.speech.End(new(serve.End)); err != nil { // what is open
		return err
	}
	switch {
	case w.how == late:
	case e.Problem != nil && e.Status == "running" && w.call.Thread() != "":
		return http.ErrAbortHandler // a client connects again, by the header Location, where its stream is cut
	case e.Problem != nil:
		return w.send("", event{"error", faultOf(e.Problem)})
	case e.Status == "paused":
		for _, t := range tasksOf(w.call.Thread(), w.run, e.Requests) {
			of := map[string][]interrupt{"__interrupt__": t.Interrupts}
			for _, mode := range []string{"updates", "values"} {
				if !w.modes.has(mode) {
					continue
				}
				if err := w.send("", event{mode, of}); err != nil {
					return err
				}
			}
		}
	case w.fields == nil && len(e.Output) > 0 && w.modes.has("values"): // its states are not shown, or not saved
		return w.send("", event{"values", json.RawMessage(e.Output)})
	}
	return nil
}
