package mcp

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
)

// A state is where a run waits, and for what. A client keeps it.
type state struct {
	graph, thread, run string
	asked              []string // the IDs of the requests
	hash               string   // of the thread of a text of takeOut that was opened
}

func stateOf(c *serve.Call, run string, requests []graphgen.Request) state {
	s := state{graph: c.Graph().Name, thread: c.Thread(), run: run}
	for i := range requests {
		s.asked = append(s.asked, requests[i].ID)
	}
	return s
}

func (s state) encode() []byte {
	data, _ := json.Marshal(append([]string{s.graph, s.thread, s.run}, s.asked...)) // of strings
	return data
}

func decode(data []byte) (s state, ok bool) {
	var parts []string
	const names = 3
	if json.Unmarshal(data, &parts) != nil || len(parts) < names {
		return s, false
	}
	return state{graph: parts[0], thread: parts[1], run: parts[2], asked: parts[names:]}, true
}

// seal returns the state as a text that no one else can make.
func (w *wire) seal(s state) string {
	data := s.encode()
	return base64.RawURLEncoding.EncodeToString(append(w.sum(data), data...))
}

func (w *wire) sum(data []byte) []byte {
	h := hmac.New(sha256.New, w.Key)
	h.Write([]byte("graphgen mcp request state\x00"))
	h.Write(data)
	return h.Sum(nil)
}

// open returns the state of a text.
func (w *wire) open(text string) (s state, ok bool) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(data) < sha256.Size || !hmac.Equal(w.sum(data[sha256.Size:]), data[:sha256.Size]) {
		return s, false
	}
	return decode(data[sha256.Size:])
}
