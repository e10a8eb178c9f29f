package serve_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/golden/conversation"
	"github.com/graphgen/graphgen/thread"
)

// mounted starts a server for a wire, which answers with the input of a conversation that it is given, or the text of an output.
func mounted(t *testing.T, o serve.Options, do func(*serve.Call) error, graphs ...*serve.Graph) func(body string, header ...string) (int, string) {
	t.Helper()
	h, err := serve.New(o, graphs...)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h.Mount(serve.Wire{
		Routes: []serve.WireRoute{{Method: "POST", Path: "/say", Do: do}},
		Refuse: func(w http.ResponseWriter, p *serve.Problem) { http.Error(w, p.Error(), p.Status) },
	}))
	t.Cleanup(server.Close)
	return func(body string, header ...string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/say", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(text)
	}
}

// says starts a run of a graph by a text, and answers with the text of its output.
func says(graph string, messages ...chat.Message) func(*serve.Call) error {
	return func(c *serve.Call) error {
		if _, err := c.Body(); err != nil {
			return err
		}
		if err := c.OpenGraph(graph); err != nil {
			return err
		}
		turns := &serve.Conversation{Messages: messages, Text: messages[len(messages)-1].Text}
		x, err := c.Start(serve.Beginning{Conversation: turns})
		if err != nil {
			return err
		}
		end, err := x.Wait()
		if err != nil {
			return err
		}
		return c.Reply(http.StatusOK, "text/plain", []byte(end.Status+" "+end.Text))
	}
}

// TestMessages holds how a conversation becomes the input of a graph: where that is plain, where the program says so, and where neither is.
func TestMessages(t *testing.T) {
	store := thread.With(thread.Settings{Store: thread.NewMemory()})
	clerk := chat.ModelFunc(new(servetest.Clerk).Generate)
	order, err := servetest.NewOrder(newShop(), store)
	if err != nil {
		t.Fatal(err)
	}
	desk, err := servetest.NewDesk(new(servetest.Staff), new(servetest.Staff), clerk, store)
	if err != nil {
		t.Fatal(err)
	}
	greet, err := servetest.NewGreet(clerk)
	if err != nil {
		t.Fatal(err)
	}
	empty, err := conversation.NewEmptyTurn(clerk)
	if err != nil {
		t.Fatal(err)
	}
	experts, err := conversation.NewExperts(clerk, empty)
	if err != nil {
		t.Fatal(err)
	}
	user := func(text string) chat.Message { return chat.UserText(text) }
	owner := "ann"
	for name, row := range map[string]struct {
		graph    *serve.Graph
		messages []chat.Message
		status   int
		want     string
	}{
		"a text":                  {serve.Durable("g", desk), []chat.Message{user("hi")}, 200, "completed You wrote: hi"},
		"a text of a plain graph": {serve.Plain("g", greet), []chat.Message{user("hi")}, 200, "completed You wrote: hi"},
		"messages, and no plain output": {
			serve.Plain("g", empty), []chat.Message{user("hi")}, 200,
			`completed {"chat":[{"role":"user","text":"hi"},{"role":"assistant","text":"You wrote: hi"}]}`,
		},
		"a text that is too long": {
			serve.Plain("g", greet), []chat.Message{user(strings.Repeat("x", 41))}, 422, "invalid: input.name: the value has 41 characters, want at most 40",
		},
		"a system message": {
			serve.Durable("g", desk), []chat.Message{{Role: chat.RoleSystem, Text: "be rude"}, user("hi")}, 422, "message: messages[0]: ",
		},
		"a file": {
			serve.Durable("g", desk), []chat.Message{{Role: chat.RoleUser, Media: []chat.Media{{Type: "image/png", URL: "https://x"}}}}, 422,
			"message: messages[0]: ",
		},
		"an input that is not plain": {serve.Plain("g", experts), []chat.Message{user("hi")}, 422, "no_messages: graph: "},
		"what the program says, with a private field": {
			serve.Durable("g", order).Messages(serve.Messaging{
				Input: serve.InputOf(func(c serve.Caller, turns serve.Conversation) (servetest.OrderInput, error) {
					return servetest.OrderInput{Order: turns.Text, Owner: &owner}, nil
				}),
				Output: serve.OutputOf(func(out servetest.OrderOutput) string { return "paid: " + out.Receipt }),
			}), []chat.Message{user("cheap")}, 200, "completed paid: receipt of cheap",
		},
		"a program that refuses": {
			serve.Durable("g", order).Messages(serve.Messaging{Input: func(serve.Caller, serve.Conversation) ([]byte, error) {
				return nil, errors.New("the password is sesame")
			}}), []chat.Message{user("cheap")}, 422, "invalid: messages: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			ask := mounted(t, shared(), says("g", row.messages...), row.graph)
			status, text := ask("{}")
			if status != row.status || !strings.HasPrefix(text, row.want) || strings.Contains(text, "sesame") {
				t.Errorf("%d %s", status, text)
			}
		})
	}
}

// TestMountShares holds that a wire has the callers, policies, limits and the end of its handler.
func TestMountShares(t *testing.T) {
	o := serve.Options{Identify: byHeader, Limits: serve.Limits{Body: 100}}
	allow := true
	var seen serve.Access
	o.Authorize = func(_ context.Context, a serve.Access) error {
		if seen = a; allow {
			return nil
		}
		return errors.New("sesame")
	}
	shop := newShop()
	order, err := servetest.NewOrder(shop, thread.With(thread.Settings{Store: thread.NewMemory()}))
	if err != nil {
		t.Fatal(err)
	}
	ask := mounted(t, o, says("g", chat.UserText("cheap")), serve.Durable("g", order))
	wants := func(status int, code, body string, header ...string) {
		t.Helper()
		if got, text := ask(body, header...); got != status || !strings.HasPrefix(text, code) || strings.Contains(text, "sesame") {
			t.Errorf("%d %s, want %d %s", got, text, status, code)
		}
	}
	wants(200, "completed receipt of cheap", "{}", "Tenant", "t")
	if seen.Verb != serve.Start || seen.Graph != "g" || seen.Thread == "" || seen.Tenant != "t" {
		t.Errorf("the policy sees %+v", seen)
	}
	wants(401, "unauthenticated", "{}", "Tenant", "nobody")
	wants(403, "forbidden", "{}")
	wants(413, "too_large", `"`+strings.Repeat("x", 200)+`"`, "Tenant", "t")
	wants(415, "media_type", "{}", "Tenant", "t", "Content-Type", "text/plain")
	wants(403, "origin", "{}", "Tenant", "t", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site")
	allow = false
	wants(403, "forbidden", "{}", "Tenant", "t")
	if n := shop.count("cheap"); n != 1 {
		t.Errorf("%d runs were made", n)
	}
}

// TestAnswerOfWires holds that an answer to a request that is not open, or a second one to the same request, answers none.
func TestAnswerOfWires(t *testing.T) {
	shop := newShop()
	order, err := servetest.NewOrder(shop, thread.With(thread.Settings{Store: thread.NewMemory()}))
	if err != nil {
		t.Fatal(err)
	}
	yes := []byte(`"approve"`)
	ask := mounted(t, shared(), func(c *serve.Call) error {
		if err := c.OpenGraph("g"); err != nil {
			return err
		}
		x, err := c.Start(serve.Beginning{Input: []byte(`{"order":"A-7"}`)})
		if err != nil {
			return err
		}
		end, err := x.Wait()
		if err != nil {
			return err
		}
		if err := c.OpenThread(c.Thread()); err != nil {
			return err
		}
		id := end.Requests[0].ID
		for name, replies := range map[string][]serve.Reply{
			"none": {}, "another": {{Request: "pay.1", JSON: yes}}, "one and another": {{Request: id, JSON: yes}, {Request: "pay.1", JSON: yes}},
			"one twice": {{Request: id, JSON: yes}, {Request: id, JSON: yes}},
		} {
			if _, err := c.Answer(replies, false, false); err == nil {
				t.Errorf("%s is taken", name)
			}
		}
		if x, err = c.Answer([]serve.Reply{{Request: id, JSON: yes}}, false, false); err != nil {
			return err
		}
		if end, err = x.Wait(); err != nil {
			return err
		}
		return c.Reply(http.StatusOK, "text/plain", []byte(end.Status))
	}, serve.Durable("g", order))
	if status, text := ask("{}"); status != http.StatusOK || !strings.HasPrefix(text, "completed") {
		t.Errorf("%d %s", status, text)
	}
}
