package chatserver

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/thread"
)

// folderVariable and stallsVariable are variables of the environment of a process that is a server.
const (
	folderVariable = "CHATSERVER_FOLDER"
	stallsVariable = "CHATSERVER_STALLS"
)

func TestMain(m *testing.M) {
	if folder := os.Getenv(folderVariable); folder != "" {
		panic(Serve(folder, os.Getenv(stallsVariable)))
	}
	os.Exit(m.Run())
}

// serving returns the command of a server process.
func serving(folder string) func(stalls string) *exec.Cmd {
	return func(stalls string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), folderVariable+"="+folder, stallsVariable+"="+stalls)
		cmd.Stderr = os.Stderr
		return cmd
	}
}

// lines are the steps of a conversation that say something.
func lines(seen []Event) (lines []string) {
	for _, e := range seen {
		if e.Step.Said != "" {
			lines = append(lines, "customer: "+e.Step.Said)
		}
		if e.Step.Reply != "" {
			lines = append(lines, "clerk: "+e.Step.Reply)
		}
	}
	return lines
}

var conversation = []string{
	"customer: Do you have lamps?", "clerk: This is answer 1, to: Do you have lamps?",
	"customer: When is the delivery?", "clerk: This is answer 2, to: When is the delivery?",
}

// TestKilledServer holds that a client whose server is killed during an answer gets the whole answer of another server,
// having each step once, and that the conversation continues from there.
func TestKilledServer(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // if an event is missed
	defer cancel()
	serve := serving(t.TempDir())
	var out bytes.Buffer
	seen, err := Play(ctx, &out, serve)
	if err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if got := lines(seen); !slices.Equal(got, conversation) {
		t.Errorf("the client has\n%s", strings.Join(got, "\n"))
	}
	third, err := Begin(serve(""))
	if err != nil {
		t.Fatal(err)
	}
	defer third.Kill()
	if err := Say(ctx, third.URL, "ann", "Thank you."); err != nil {
		t.Fatal(err)
	}
	var anew []Event // of a client that has seen nothing
	if err := Follow(ctx, third.URL, "ann", "", func(e Event) bool {
		if e.ID != "" {
			anew = append(anew, e)
		}
		return !strings.Contains(e.Step.Reply, "Thank you.")
	}); err != nil {
		t.Fatal(err)
	}
	if got := lines(anew); !slices.Equal(got, append(slices.Clone(conversation), "customer: Thank you.", "clerk: This is answer 3, to: Thank you.")) {
		t.Errorf("a client without a number has\n%s", strings.Join(got, "\n"))
	}
	if !slices.Equal(anew[:len(seen)], seen) {
		t.Errorf("the first client had %v\nanother one %v", seen, anew)
	}
}

// TestRequests holds what the server answers to requests that are wrong.
func TestRequests(t *testing.T) {
	s, err := New(t.Context(), thread.NewMemory(), model(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		method, path, last, body string
		status                   int
	}{
		{method: http.MethodPost, path: "/chats/ann", body: `{"message":"Hello"}`, status: http.StatusAccepted},
		{method: http.MethodPost, path: "/chats/ann", body: `{"message":""}`, status: http.StatusBadRequest},
		{method: http.MethodPost, path: "/chats/ann", body: `{"message":"` + strings.Repeat("x", 4001) + `"}`, status: http.StatusBadRequest},
		{method: http.MethodPost, path: "/chats/ann", body: `{"message":"` + strings.Repeat("x", maxBody) + `"}`, status: http.StatusBadRequest},
		{method: http.MethodGet, path: "/chats/ann/events", last: "twelve", status: http.StatusBadRequest},
		{method: http.MethodGet, path: "/chats/ann", status: http.StatusMethodNotAllowed},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		r.Header.Set("Last-Event-ID", test.last)
		if s.Handler().ServeHTTP(w, r); w.Code != test.status {
			t.Errorf("%s %s %.10q: %d, want %d", test.method, test.path, test.body, w.Code, test.status)
		}
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/chats/ann/events", nil)
	r.Header.Set("Last-Event-ID", "99") // a step that the conversation never had
	if s.Handler().ServeHTTP(w, r); !strings.Contains(w.Body.String(), "event: failed") {
		t.Errorf("the stream is %s", w.Body)
	}
}
