// Package chatserver is a chat server whose conversations survive it: each is a thread in a folder, and each turn a run of the thread.
// A client follows a conversation as server-sent events with numbers. When its connection ends, also by kill -9 of the
// server, it continues after the last number that it has.
package chatserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/thread"
)

//go:generate go tool graphgen

// maxBody is how many bytes a message may have.
const maxBody = 1 << 16

// A Server has the conversations of a store.
type Server struct {
	machine *Clerk
	store   thread.Store
	runs    context.Context // of the turns, which outlive the requests that begin them
}

// New returns the server of a store. Its turns end with the context.
func New(ctx context.Context, store thread.Store, model chat.Model) (*Server, error) {
	m, err := NewClerk(model, thread.With(thread.Settings{Store: store, Feed: new(thread.Feed)}))
	return &Server{m, store, ctx}, err
}

// Recover continues turns whose server was killed, until the context ends.
func (s *Server) Recover(report func(id string, err error)) error {
	return thread.Recover(s.runs, s.store, thread.Recovery{
		Graph: "clerk", Every: time.Second, Report: report,
		Run: func(ctx context.Context, id string) error {
			_, err := s.machine.Thread(id).Recover(ctx)
			return err
		},
	})
}

// Handler serves POST /chats/{id} with a ClerkInput as JSON, and GET /chats/{id}/events.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chats/{id}", s.say)
	mux.HandleFunc("GET /chats/{id}/events", s.events)
	return mux
}

// say begins a turn. It answers when the turn is in the store: from then on it survives.
func (s *Server) say(w http.ResponseWriter, r *http.Request) {
	var in ClerkInput
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	accepted, ended := make(chan bool, 1), make(chan error, 1)
	saved := graphgen.WithObserver(func(e graphgen.Event) {
		if e.Kind == graphgen.NodeStart && e.Step == 1 {
			accepted <- true
		}
	})
	id := r.PathValue("id")
	go func() { ended <- s.turn(r.Context(), id, in, saved) }()
	select {
	case <-accepted:
		w.WriteHeader(http.StatusAccepted)
	case err := <-ended:
		w.WriteHeader(status(err))
	}
}

// turn makes the next turn of a conversation. While another turn has the thread, it waits until the request ends.
func (s *Server) turn(request context.Context, id string, in ClerkInput, opts ...graphgen.RunOption) error {
	for {
		_, err := s.machine.Thread(id).Start(s.runs, in, opts...)
		if _, held := errors.AsType[*thread.HeldError](err); !held {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-request.Done():
			return err
		}
	}
}

// status returns the status of a turn that has ended.
func status(err error) int {
	if err == nil {
		return http.StatusAccepted
	}
	_, waits := errors.AsType[*thread.StateError](err)
	_, held := errors.AsType[*thread.HeldError](err)
	if waits || held {
		return http.StatusConflict
	}
	return http.StatusInternalServerError
}

// A Step is the data of an event with a number.
type Step struct {
	Said  string `json:"said,omitempty"`  // by the customer: a turn begins
	Reply string `json:"reply,omitempty"` // the whole answer
	Ended string `json:"ended,omitempty"` // why the turn has ended
}

// events sends the conversation after the event that the client has seen last, and then what follows. An event with a number is a
// saved step. An event "piece" is a piece of an answer as it comes: it has no number, as it is not saved.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	var seen uint64
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		var err error
		if seen, err = strconv.ParseUint(last, 10, 64); err != nil {
			http.Error(w, "Last-Event-ID is not a number", http.StatusBadRequest)
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush(w)
	for e, err := range s.machine.Thread(r.PathValue("id")).Watch(r.Context(), thread.After{Seq: seen, Stay: true}) {
		switch {
		case err != nil:
			send(w, "", "failed", "Begin again without a number.")
			return
		case e.Seq > 0:
			send(w, strconv.FormatUint(e.Seq, 10), "step", stepOf(&e.Saved))
		case e.Live.Token().Text != "":
			send(w, "", "piece", e.Live.Token().Text)
		}
	}
}

// stepOf returns what the client is shown of a step.
func stepOf(saved *thread.Step) (s Step) {
	s.Ended = saved.Ended
	for _, c := range saved.Changes {
		for _, v := range c.Written {
			switch {
			case v.Name == "message" && saved.Run != "":
				_ = json.Unmarshal(v.JSON, &s.Said) // a string
			case v.Name == "reply":
				_ = json.Unmarshal(v.JSON, &s.Reply) // a string
			}
		}
	}
	return s
}

// send sends an event. JSON is on one line.
func send(w http.ResponseWriter, id, event string, data any) {
	text, _ := json.Marshal(data) // strings have a JSON
	if id != "" {
		fmt.Fprintf(w, "id: %s\n", id)
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, text)
	flush(w)
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }
