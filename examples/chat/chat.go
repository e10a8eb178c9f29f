// Package chat is a chat server: each request is one turn of a conversation, which the caller keeps.
// It shows the type messages, the key history, and a run as server-sent events.
package chat

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
)

//go:generate go tool graphgen

// A Shop has orders, by their numbers.
type Shop map[int]string

// Order returns where an order is.
func (s Shop) Order(_ context.Context, args ChatOrderArgs) (string, error) {
	where, ok := s[args.Number]
	if !ok {
		return "", fmt.Errorf("there is no order %d", args.Number)
	}
	return where, nil
}

// Orders are the orders of the example.
var Orders = Shop{7: "sent on Monday, by mail", 8: "packed"}

// Messages are the messages of the customer in the recording, one after the other.
var Messages = []string{"Hello, my order is number 7.", "Where is it?", "Thank you. And what was its number?"}

// recording is a conversation of Messages. It was made with a scripted model, in chat_test.go.
//
//go:embed recording.jsonl
var recording []byte

// New returns the machine with the orders of the example.
func New(model chat.Model, opts ...graphgen.Option) (*Chat, error) {
	return NewChat(Orders, model, opts...)
}

// Replay returns the machine on the recording, without a model, and a function that reports whether all of
// it was played.
func Replay() (m *Chat, done func() error, err error) {
	tape, err := record.Open(recording)
	if err != nil {
		return nil, nil, err
	}
	m, err = New(tape.Model(nil))
	return m, tape.Done, err
}

// maxBody is how many bytes a request, and an event of its answer, may have.
const maxBody = 1 << 20

// Say is a turn of a client: it sends a message with the conversation so far, calls token with the pieces
// of the reply, and returns the whole of it with the longer conversation.
func Say(ctx context.Context, url string, history []chat.Message, message string, token func(string)) (ChatOutput, error) {
	var out ChatOutput
	body, err := json.Marshal(ChatInput{History: history, Message: message})
	if err != nil {
		return out, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxBody)
	event := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "event":
			event = value
		case name != "data":
		case event == "token":
			var piece string
			if err := json.Unmarshal([]byte(value), &piece); err != nil {
				return out, err
			}
			token(piece)
		case event == "done":
			return out, json.Unmarshal([]byte(value), &out)
		default:
			return out, errors.New(value)
		}
	}
	return out, errors.Join(lines.Err(), fmt.Errorf("the answer ended early, with status %s", resp.Status))
}
