package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	talk "github.com/graphgen/graphgen/examples/chat"
	"github.com/graphgen/graphgen/golden/media"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

var update = flag.Bool("update", false, "write the requests again")

// said is a conversation with a call of a tool, as a turn of the chat server leaves it.
var said = []chat.Message{
	chat.UserText("Where is order 7?"),
	{Role: chat.RoleAssistant, Text: "One moment.", Calls: []chat.ToolCall{{ID: "call_1", Name: "order", Arguments: `{"number":7}`}}},
	{Role: chat.RoleTool, Call: "call_1", Name: "order", Text: "sent on Monday, by mail"},
	{Role: chat.RoleAssistant, Text: "It was sent on Monday."},
}

// seen is a conversation with media of the user and of a tool, and what other providers have kept in it.
var seen = []chat.Message{
	{Role: chat.RoleUser, Text: "What is wrong with this lamp?",
		Media: []chat.Media{{Type: "image/png", Data: []byte("lamp")}, {Type: "application/pdf", Data: []byte("%PDF"), Name: "bill.pdf"}}},
	{
		Role: chat.RoleAssistant, Reasoning: []chat.Reasoning{{Text: "Look it up.", Opaque: "elsewhere:signed"}, {Opaque: "elsewhere:hidden", Hidden: true}},
		Calls: []chat.ToolCall{{ID: "call.1/a", Name: "order", Arguments: `{"number":7}`, Opaque: "elsewhere:call"},
			{ID: "call.1/b", Name: "order", Arguments: "{"}},
	},
	{Role: chat.RoleTool, Call: "call.1/a", Name: "order", Text: "as in the picture",
		Media: []chat.Media{{Type: "image/jpeg", URL: "https://example.com/7.jpg"}}},
	{Role: chat.RoleTool, Call: "call.1/b", Name: "order", Text: "the arguments do not fit", Failed: true},
	{Role: chat.RoleAssistant, Text: "The shade is loose."},
	chat.UserText("And now?"),
}

// looks is a model that routes by itself, asks for a chart once, and has another model do the rest.
func looks(model chat.Model) chat.Model {
	asked := false
	return chat.ModelFunc(func(ctx context.Context, req *chat.Request, stream func(chat.Delta)) (*chat.Response, error) {
		said := chat.Message{Role: chat.RoleAssistant}
		switch {
		case req.Purpose == chat.Choose:
			said.Text = `{"route":"describe"}`
		case !asked:
			asked, said.Calls = true, []chat.ToolCall{{ID: "call_1", Name: "chart", Arguments: `{"about":"otters"}`}}
		default:
			return model.Generate(ctx, req, stream)
		}
		return &chat.Response{Message: said, Finish: chat.Stop}, nil
	})
}

// charts has a tool that draws.
type charts struct{ media.MediaTools }

func (charts) Chart(context.Context, media.MediaChartArgs) (chat.Image, error) {
	return chat.Image{Type: "image/png", Data: []byte("chart")}, nil
}

// look runs a graph whose prompt reads media, and has a tool that returns some.
func look(ctx context.Context, model chat.Model, in media.MediaInput) error {
	type handlers struct{ media.MediaHandlers }
	m, err := media.NewMedia(handlers{}, charts{}, looks(model))
	if err != nil {
		return err
	}
	_, err = m.Run(ctx, in)
	return err
}

// talked runs a turn of the chat server.
func talked(ctx context.Context, model chat.Model, before []chat.Message) error {
	m, err := talk.New(model)
	if err != nil {
		return err
	}
	_, err = m.Run(ctx, talk.ChatInput{History: before, Message: "And when does it arrive?"})
	return err
}

// exchange is a provider with a server that refuses every request.
type exchange struct {
	chat.Model
	bodies [][]byte // of the requests
	drops  bool     // these are read, and not kept
}

func (p provider) refused(t *testing.T) *exchange {
	t.Helper()
	var x exchange
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if x.drops {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body, _ := io.ReadAll(r.Body)
		x.bodies = append(x.bodies, body)
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(s.Close)
	t.Setenv("OPENAI_BASE_URL", s.URL)
	t.Setenv("ANTHROPIC_BASE_URL", s.URL)
	t.Setenv("GOOGLE_GEMINI_BASE_URL", s.URL)
	for _, name := range p.variables {
		if name != "OPENAI_BASE_URL" {
			t.Setenv(name, "key")
		}
	}
	model, err := p.open(p.model)
	if err != nil {
		t.Fatal(err)
	}
	x.Model = model
	return &x
}

// TestRequestsOnTheWire holds what each provider sends: a later turn of a conversation with its roles, calls
// and results; media of the user, of the state and of tools; and the marks of what it may cache.
func TestRequestsOnTheWire(t *testing.T) {
	for name, run := range map[string]func(context.Context, chat.Model) error{
		"conversation": func(ctx context.Context, m chat.Model) error { return talked(ctx, m, said) },
		"media":        func(ctx context.Context, m chat.Model) error { return talked(ctx, m, seen) },
		"reads": func(ctx context.Context, m chat.Model) error {
			return look(ctx, m, media.MediaInput{
				Photo:    chat.Image{Type: "image/png", Data: []byte("photo")},
				Contract: &chat.PDF{Data: []byte("%PDF"), Name: "contract.pdf"},
				Pages:    []chat.Image{{Type: "image/webp", Data: []byte("one")}, {Type: "image/gif", URL: "https://example.com/two.gif"}},
			})
		},
		"audio": func(ctx context.Context, m chat.Model) error {
			return look(ctx, m, media.MediaInput{Photo: chat.Image{Type: "image/jpeg", Data: []byte("photo")},
				Call: &chat.Audio{Type: "audio/wav", Data: []byte("RIFF")}})
		},
	} {
		for _, p := range providers {
			if name == "audio" && p.name == "anthropic" {
				continue // TestMediaIsRefusedBeforeTheCall
			}
			t.Run(name+"/"+p.name, func(t *testing.T) {
				x := p.refused(t)
				if err := run(t.Context(), x); err == nil || len(x.bodies) != 1 {
					t.Fatalf("the server has refused one request of %d, and the run ended with %v", len(x.bodies), err)
				}
				var got bytes.Buffer
				if err := json.Indent(&got, bytes.TrimSpace(x.bodies[0]), "", "  "); err != nil {
					t.Fatalf("%v: %q", err, x.bodies[0])
				}
				got.WriteByte('\n')
				file := filepath.Join("testdata", name+"."+p.name+".json")
				if *update {
					if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Bytes(), want) {
					t.Errorf("the request is\n%s\nwant\n%s", got.Bytes(), want)
				}
			})
		}
	}
}

// TestMediaIsRefusedBeforeTheCall holds that a run fails without a request where its provider does not take the
// media, and that the error says what to do.
func TestMediaIsRefusedBeforeTheCall(t *testing.T) {
	photo := chat.Image{Type: "image/png", Data: []byte("photo")}
	for _, c := range []struct {
		name, provider string
		in             media.MediaInput
		want           string
	}{
		{"audio", "anthropic", media.MediaInput{Photo: photo, Call: &chat.Audio{Type: "audio/wav", Data: []byte("a")}}, "audio/wav"},
		{"an unknown format", "anthropic", media.MediaInput{Photo: photo, Pages: []chat.Image{{Type: "image/heic", Data: []byte("a")}}}, "convert it to PNG"},
		{"another protocol", "anthropic", media.MediaInput{Photo: photo, Contract: &chat.PDF{URL: "ftp://example.com/a.pdf"}}, "https"},
		{"a document at an address", "openai", media.MediaInput{Photo: photo, Contract: &chat.PDF{URL: "https://example.com/a.pdf"}},
			"it is taken as data only"},
		{"audio at an address", "openai", media.MediaInput{Photo: photo, Call: &chat.Audio{Type: "audio/wav", URL: "https://example.com/a.wav"}},
			"it is taken as data only"},
		{"an unknown kind of audio", "openai", media.MediaInput{Photo: photo, Call: &chat.Audio{Type: "audio/flac", Data: []byte("a")}}, "wav and mp3"},
		{"another protocol", "gemini", media.MediaInput{Photo: photo, Contract: &chat.PDF{URL: "ftp://example.com/a.pdf"}},
			"Gemini takes https, gs and data only"},
	} {
		t.Run(c.provider+"/"+c.name, func(t *testing.T) {
			p, err := choose(c.provider)
			if err != nil {
				t.Fatal(err)
			}
			x := p.refused(t)
			err = look(t.Context(), x, c.in)
			refused, ok := errors.AsType[*chat.ModelError](err)
			if !ok || refused.Kind != chat.BadRequest || refused.Status != 0 || !strings.Contains(refused.Message, c.want) {
				t.Errorf("the run ended with %v, want a request error with %q", err, c.want)
			}
			if len(x.bodies) > 0 {
				t.Errorf("%d requests were sent", len(x.bodies))
			}
		})
	}
}

// TestMediaCopies holds how often an image is copied on its way into a request: as text in base64, and in the JSON
// that the SDK of the vendor makes, which writes the text again at each level.
func TestMediaCopies(t *testing.T) {
	if tier.Raced() {
		t.Skip("the race detector allocates, too")
	}
	const size = 3 << 20
	most := map[string]float64{"openai": 30, "anthropic": 28, "gemini": 14}
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			x := p.refused(t)
			x.drops = true
			allocated := func(data []byte) uint64 {
				req := &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Text: "What is it?", Media: []chat.Media{{Type: "image/png", Data: data}}}}}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := x.Generate(t.Context(), req, nil); err == nil {
					t.Error("the server refuses every request")
				}
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			allocated([]byte("a"))
			small, large := allocated([]byte("a")), allocated(make([]byte, size))
			times := float64(large-small) / size
			t.Logf("the bytes of an image of 3 MiB are allocated %.1f times", times)
			if times > most[p.name] {
				t.Errorf("the bytes of an image are allocated %.1f times, want at most %.0f", times, most[p.name])
			}
		})
	}
}
