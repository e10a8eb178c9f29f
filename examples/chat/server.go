package chat

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/codec"
)

// Serve answers a POST request with a ChatInput: one turn of a conversation. The answer is a stream of
// server-sent events: the event token with each piece of the reply, as a JSON string, then done with the
// ChatOutput, whose history the caller sends with the next message, or failed with a text. The run is a
// loop in the handler: when the client goes away, the context of the request ends it. Each run is given the options.
func Serve(m *Chat, opts ...graphgen.Option) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in ChatInput
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err == nil {
			err = codec.Unmarshal(body, &in)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for e, err := range m.Stream(r.Context(), in, opts...) {
			switch {
			case err != nil:
				answer(w, nil, err)
			case e.Kind == graphgen.Token && e.Text != "":
				piece, _ := json.Marshal(e.Text) // a string has a JSON
				send(w, "token", piece)
			case e.Kind == graphgen.RunEnd:
				if out, ok := graphgen.Output[ChatOutput](e); ok {
					whole, err := codec.Marshal(out)
					answer(w, whole, err)
				}
			}
		}
	}
}

// answer ends the stream. What has failed is not for the client.
func answer(w http.ResponseWriter, whole []byte, err error) {
	if err != nil {
		send(w, "failed", []byte(`"The turn has failed: try again."`))
		return
	}
	send(w, "done", whole)
}

// send sends an event. Data on one line needs no more than its name.
func send(w http.ResponseWriter, event string, data []byte) {
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data)
	_ = http.NewResponseController(w).Flush()
}
