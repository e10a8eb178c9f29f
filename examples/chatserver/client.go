package chatserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// An Event is what a client is sent: a step with its number, or a piece of an answer.
type Event struct {
	ID    string // of a step
	Step  Step
	Piece string
}

// Say begins a turn of a conversation.
func Say(ctx context.Context, url, id, message string) error {
	body, err := json.Marshal(ClerkInput{Message: message})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/chats/"+id, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		return fmt.Errorf("the server answers %s", resp.Status)
	}
	return nil
}

// Follow calls see with the events of a conversation after one that was seen last; empty: from its beginning. It ends when see returns
// false, or with the connection.
func Follow(ctx context.Context, url, id, last string, see func(Event) bool) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/chats/"+id+"/events", nil)
	if err != nil {
		return err
	}
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answers %s", resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	var e Event
	event := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "id":
			e.ID = value
		case name == "event":
			event = value
		case name == "data" && event == "step":
			err = json.Unmarshal([]byte(value), &e.Step)
		case name == "data" && event == "piece":
			err = json.Unmarshal([]byte(value), &e.Piece)
		case name == "data":
			err = fmt.Errorf("the server sends: %s", value)
		case name == "":
			if !see(e) {
				return nil
			}
			e, event = Event{}, ""
		}
		if err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}
