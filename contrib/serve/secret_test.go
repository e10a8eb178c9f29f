package serve_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/agui"
	"github.com/graphgen/graphgen/golden/records"
	"github.com/graphgen/graphgen/golden/sealed"
	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/seal"
)

// serves starts a server for one graph.
func serves(t *testing.T, o serve.Options, graphs ...*serve.Graph) *site {
	t.Helper()
	h, err := serve.New(o, graphs...)
	if err != nil {
		t.Fatal(err)
	}
	l, url := listener(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l, 0) }()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return &site{t: t, url: url, handler: h}
}

// mark is a secret.
const mark = "sesame"

// A practice does the work of the graph sealed. What it gives has the mark.
type practice struct{}

func (practice) Register(context.Context, sealed.SealedRegisterIn) (sealed.SealedRegisterOut, error) {
	return sealed.SealedRegisterOut{Ticket: 7}, nil
}

func (practice) Send(context.Context, sealed.SealedSendIn) (sealed.SealedSendOut, error) {
	return sealed.SealedSendOut{Sent: 8}, nil
}

func (practice) Look(_ context.Context, in sealed.ClinicLookIn) (sealed.ClinicLookOut, error) {
	return sealed.ClinicLookOut{Finding: "found " + in.Complaint}, nil
}
func (practice) Weigh(context.Context, sealed.ClinicWeighIn) error { return nil }
func (practice) Chart(_ context.Context, in sealed.ClinicChartArgs) (string, error) {
	return "the chart of " + in.Name, nil
}

func (practice) Find(context.Context) (sealed.OfficeFindOut, error) {
	return sealed.OfficeFindOut{Room: "the yellow room", Note: "for " + mark}, nil
}
func (practice) Clean(context.Context, sealed.OfficeCleanIn) error { return nil }

// TestSecrets holds that fields which threads keep sealed are sent with the requests to people alone.
func TestSecrets(t *testing.T) {
	model := chat.ModelFunc(func(_ context.Context, _ *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		if stream != nil {
			stream(chat.Delta{Text: "advice for " + mark})
		}
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "advice for " + mark}, Finish: chat.Stop}, nil
	})
	office, err := sealed.NewOffice(practice{})
	if err != nil {
		t.Fatal(err)
	}
	clinic, err := sealed.NewClinic(practice{}, practice{}, model, office)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := seal.New(seal.Key{ID: "one", Bytes: bytes.Repeat([]byte("k"), 32)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := sealed.NewSealed(practice{}, model, clinic, thread.With(thread.Settings{Store: thread.NewMemory(), Seal: keys, Feed: new(thread.Feed)}))
	if err != nil {
		t.Fatal(err)
	}
	overWire(t, m)
	s := serves(t, shared(), serve.Durable("letters", m))
	started := s.do("POST", "/graphs/letters/threads",
		`{"thread": "a", "input": {"name": "sesame", "complaints": ["cough `+mark+`"]}}`, "Accept", "text/event-stream")
	s.want(started, http.StatusOK, `"kind":"node_end"`, `"status":"paused"`)
	before, _, _ := strings.Cut(started.body, "event: end") // which has the question
	replies := []reply{{body: before}}
	for _, path := range []string{"/threads/a/state", "/threads/a/history", "/threads/a/state?at=2"} {
		replies = append(replies, s.want(s.do("GET", path, ""), http.StatusOK, `"ticket":`))
	}
	for _, r := range replies {
		if strings.Contains(r.body, mark) {
			t.Errorf("a client is sent a secret:\n%s", r.body)
		}
	}
	s.want(s.do("GET", "/threads/a/requests", ""), http.StatusOK, "Send this to "+mark)
	s.want(s.do("POST", "/threads/a/fork", `{"to": "b", "set": {"ticket": 9}}`), http.StatusUnprocessableEntity, `"code":"sealed"`)
	s.want(s.do("POST", "/threads/a/fork", `{"to": "b"}`), http.StatusCreated)
}

// overWire holds that a wire sends no secret of a graph before the question to people.
func overWire(t *testing.T, m *sealed.Sealed) {
	t.Helper()
	h, err := serve.New(shared(), serve.Durable("letters", m).Messages(serve.Messaging{
		Input: func(serve.Caller, serve.Conversation) ([]byte, error) {
			return []byte(`{"name": "sesame", "complaints": ["cough sesame"]}`), nil
		},
		Speaks: []string{"write"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	h.Handle("/agui", agui.New(h))
	server := httptest.NewServer(h)
	defer server.Close()
	s := &site{t: t, url: server.URL, handler: h}
	r := s.do("POST", "/agui/letters", `{"threadId":"wire","runId":"r","messages":[{"role":"user","content":"hi"}]}`)
	s.want(r, http.StatusOK, `"STATE_DELTA"`, "Send this to")
	if before, _, _ := strings.Cut(r.body, `"RUN_FINISHED"`); strings.Contains(before, mark) {
		t.Errorf("a client is sent a secret:\n%s", before)
	}
}

// A teller has the handler of the graph records.
type teller struct{}

func (teller) Tell(context.Context, records.RecordsTellIn) (records.RecordsTellOut, error) {
	return records.RecordsTellOut{Told: "told"}, nil
}

// TestAnsweredBy holds that an answer has the name of its caller, and that the questions of branches are answered in either order.
func TestAnsweredBy(t *testing.T) {
	m, err := records.NewRecords(teller{}, thread.With(thread.Settings{Store: thread.NewMemory(), Feed: new(thread.Feed)}))
	if err != nil {
		t.Fatal(err)
	}
	o := shared()
	o.Identify = byHeader
	s := serves(t, o, serve.Durable("records", m))
	s.want(s.do("POST", "/graphs/records/threads", `{"thread": "a", "input": {"payments": ["x", "y"]}}`, "Prefer", "wait"), http.StatusOK,
		`"id":"0/check.1"`, `"id":"1/check.1"`)
	answer := func(id, with, name, status string) {
		t.Helper()
		s.want(s.do("POST", "/threads/a/requests/"+id, with, "Name", name, "Prefer", "wait"), http.StatusOK, `"status":"`+status+`"`)
	}
	answer("1%2Fcheck.1", `"approve"`, "bob", "paused")
	answer("0%2Fcheck.1", `"approve"`, "ann", "paused")
	answer("chief.1", `"approve"`, "carl", "paused")
	answer("ask.1", `"no"`, "dora", "completed")
	state := s.want(s.do("GET", "/threads/a/state", ""), http.StatusOK)
	for _, name := range []string{"ann", "bob", "carl", "dora"} {
		if !strings.Contains(state.body, `"by":"`+name+`"`) {
			t.Errorf("no %s in\n%s", name, state.body)
		}
	}
}
