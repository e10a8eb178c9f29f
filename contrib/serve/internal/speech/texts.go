package speech

import (
	"encoding/json"
	"strconv"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Voice is what takes the texts of a run, for one client. Each text has a name of its own in the run.
type Voice interface {
	Open(id string) error
	Piece(id, text string) error
	Close(id string) error
	Void(id string) error // what the text has so far does not count: it is tried again. It is closed
}

// Texts make texts of the events of a run: of the pieces of answers of nodes that speak, of messages of nodes of kind say, and of the output.
type Texts struct {
	Call  *serve.Call
	Voice Voice
	Mute  bool // messages of nodes of kind say are no texts

	open string // the name of the text that is open
	node string // whose it is
	last string // the text of the last answer
	all  int    // how many texts there are
}

// Live takes an event.
func (s *Texts) Live(e *graphgen.Event) error {
	switch e.Kind {
	case graphgen.Token:
		if piece := e.Token(); piece.Text != "" && piece.Tool == "" && s.Call.Speaks(e) {
			return s.piece(name(e, "answer-"+strconv.Itoa(e.Model().Call)), e.Node, piece.Text)
		}
	case graphgen.Retry, graphgen.NodeFailed:
		if s.open != "" && e.Node == s.node {
			return s.void()
		}
	case graphgen.NodeEnd:
		if e.Node == s.node {
			return s.close()
		}
	case graphgen.Say:
		if text := e.Message(); text != "" && !s.Mute {
			if err := s.close(); err != nil {
				return err
			}
			return s.whole(name(e, "say-"+Number(e)), text)
		}
	}
	return nil
}

// End takes the output of a run that has ended.
func (s *Texts) End(end *serve.End) error {
	if err := s.close(); err != nil || end.Text == "" || end.Text == s.last {
		return err
	}
	return s.whole("output", end.Text)
}

func (s *Texts) piece(id, node, text string) error {
	if s.open != id {
		if err := s.close(); err != nil {
			return err
		}
		s.open, s.node, s.last = id, node, ""
		s.all++
		if err := s.Voice.Open(id); err != nil {
			return err
		}
	}
	s.last += text
	return s.Voice.Piece(id, text)
}

func (s *Texts) close() error {
	if s.open == "" {
		return nil
	}
	id := s.open
	s.open, s.node = "", ""
	return s.Voice.Close(id)
}

func (s *Texts) void() error {
	id := s.open
	s.open, s.node, s.last = "", "", ""
	return s.Voice.Void(id)
}

// whole gives a text that is known as a whole.
func (s *Texts) whole(id, text string) error {
	s.all++
	if err := s.Voice.Open(id); err != nil {
		return err
	}
	if err := s.Voice.Piece(id, text); err != nil {
		return err
	}
	return s.Voice.Close(id)
}

// Number returns what no other event of the run has: after a pause the numbers of events begin again.
func Number(e *graphgen.Event) string { return strconv.Itoa(e.Record) + "-" + strconv.Itoa(e.N) }

// name returns the name of a text in the conversation of a thread.
func name(e *graphgen.Event, id string) string {
	if e.Run != nil && e.Run.Thread != "" { // the ID of another run is random
		id = e.Run.ID + "-" + id
	}
	return id
}

// Payload returns the data of a message of a node of kind say, nil if it has none.
func Payload(e *graphgen.Event) json.RawMessage {
	payload, ok := graphgen.Payload[codec.Marshaler](*e)
	if !ok {
		return nil
	}
	data, err := codec.Marshal(payload)
	if err != nil {
		return nil
	}
	return data
}
