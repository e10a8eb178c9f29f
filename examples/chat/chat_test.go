package chat

import (
	"bytes"
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/chat/scripted"
)

var update = flag.Bool("update", false, "make the recording again")

// replies is what a model might say to Messages.
func replies() chat.Model {
	used := func(in, out int) chat.Usage { return chat.Usage{Input: in, Output: out} }
	return scripted.New(
		scripted.Turn{Usage: used(180, 12), Text: "Hello! What would you like to know about it?"},
		scripted.Turn{Usage: used(214, 16), Calls: []chat.ToolCall{{Name: "order", Arguments: `{"number": 7}`}}},
		scripted.Turn{Usage: used(251, 14), Text: "It was sent on Monday, by mail."},
		scripted.Turn{Usage: used(280, 10), Text: "You are welcome. Its number is 7."},
	)
}

// converse has a client say the messages to a server, and returns the conversation and the pieces that
// were streamed.
func converse(t *testing.T, m *Chat) (history []chat.Message, pieces []string) {
	t.Helper()
	s := httptest.NewServer(Serve(m))
	defer s.Close()
	for _, message := range Messages {
		out, err := Say(t.Context(), s.URL, history, message, func(piece string) { pieces = append(pieces, piece) })
		if err != nil {
			t.Fatal(err)
		}
		history = out.History
	}
	return history, pieces
}

func TestRecording(t *testing.T) {
	var b bytes.Buffer
	tape := record.New(&b)
	m, err := New(tape.Model(replies()))
	if err != nil {
		t.Fatal(err)
	}
	converse(t, m)
	if err := tape.Close(); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("recording.jsonl", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(b.Bytes(), recording) {
		t.Error("recording.jsonl is not what the model says; -update writes it")
	}
}

func TestConversation(t *testing.T) {
	if *update {
		t.Skip("the recording is being made")
	}
	m, done, err := Replay()
	if err != nil {
		t.Fatal(err)
	}
	history, pieces := converse(t, m)
	if err := done(); err != nil {
		t.Error(err)
	}
	var said []string
	for i := range history {
		said = append(said, history[i].Role.String()+": "+history[i].Text)
	}
	want := []string{
		"user: " + Messages[0], "assistant: Hello! What would you like to know about it?",
		"user: " + Messages[1], "assistant: ", "tool: sent on Monday, by mail", "assistant: It was sent on Monday, by mail.",
		"user: " + Messages[2], "assistant: You are welcome. Its number is 7.",
	}
	if !slices.Equal(said, want) {
		t.Errorf("the conversation is\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
	if streamed := strings.Join(pieces, "|"); streamed != "Hello! What would you like to know about it?|It was sent on Monday, by "+
		"mail.|You are welcome. Its number is 7." {
		t.Errorf("streamed: %q", streamed)
	}
}

func TestBadRequests(t *testing.T) {
	m, err := New(replies())
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"no JSON":           `hello`,
		"no message":        `{"history":[]}`,
		"an empty message":  `{"history":[],"message":""}`,
		"an unknown role":   `{"history":[{"role":"human","text":"hi"}],"message":"hi"}`,
		"a long history":    `{"history":[` + strings.Repeat(`{"role":"user"},`, 200) + `{"role":"user"}],"message":"hi"}`,
		"too large for all": `{"history":[],"message":"` + strings.Repeat("x", maxBody) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			Serve(m)(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
			if w.Code != http.StatusBadRequest {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		})
	}
}

func TestFailedTurn(t *testing.T) {
	m, err := New(chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) {
		return nil, context.DeadlineExceeded
	}))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(Serve(m))
	defer s.Close()
	if _, err := Say(t.Context(), s.URL, nil, "hello", nil); err == nil || !strings.Contains(err.Error(), "try again") {
		t.Errorf("error %v", err)
	}
}

// answersInPart returns a model that sends the beginning of its answer, and then waits for the end of the context.
func answersInPart(begun chan<- struct{}) chat.Model {
	return chat.ModelFunc(func(ctx context.Context, _ *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		stream(chat.Delta{Text: "One "})
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	})
}

// A client that goes away ends the run.
func TestClientThatGoesAway(t *testing.T) {
	asked, ended := make(chan struct{}), make(chan error, 1)
	m, err := New(answersInPart(asked))
	if err != nil {
		t.Fatal(err)
	}
	handler := Serve(m)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler(w, r)
		ended <- r.Context().Err()
	}))
	defer s.Close()
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-asked
		leave()
	}()
	if _, err := Say(ctx, s.URL, nil, "hello", func(string) {}); err == nil {
		t.Error("the client has an answer")
	}
	if err := <-ended; err == nil {
		t.Error("the handler returned before the client left")
	}
}

// The end of a request ends all goroutines of its run: a bubble of synctest has to be without any at its end.
func TestNoGoroutineIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := make(chan struct{})
		m, err := New(answersInPart(asked))
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		go func() {
			<-asked
			leave()
		}()
		w := httptest.NewRecorder()
		Serve(m)(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"history":[],"message":"hello"}`)).WithContext(ctx))
		if !strings.Contains(w.Body.String(), "One ") {
			t.Errorf("the client has %q", w.Body)
		}
	})
}
