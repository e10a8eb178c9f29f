package chat

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/graphgen/graphgen"
)

// Serve answers a POST request with a ChatInput: one turn of a conversation. The answer is a stream of
// server-sent events: the event token with each piece of the reply, as a JSON string, then done with the
// ChatOutput, whose history the caller sends with the next message, or failed with a text. The run is a
// loop in the handler: when the client goes away, the context of the request ends it. Each run is given the options.
func Serve(m *Chat, opts ...graphgen.RunOption) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in ChatInput
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		run := m.Stream(r.Context(), in, opts...)
		for e := range run.Events() {
			if text := e.Token().Text; text != "" {
				send(w, "token", text)
			}
		}
		if out, err := run.Output(); err != nil {
			send(w, "failed", "The turn has failed: try again.") // why is not for the client
		} else {
			send(w, "done", out)
		}
	}
}

// send sends an event. JSON is on one line, so the event needs no more than its name.
func send(w http.ResponseWriter, event string, data any) {
	text, _ := json.Marshal(data) // texts and outputs have a JSON
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, text)
	_ = http.NewResponseController(w).Flush()
}
