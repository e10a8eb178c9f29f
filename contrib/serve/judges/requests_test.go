package judges_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/thread"
)

// A house is a server for a test.
type house struct {
	*world
	t   *testing.T
	url string // empty: it has no sockets, for tests of time
}

func newHouse(t *testing.T, o serve.Options) *house {
	t.Helper()
	return houseOn(t, thread.NewMemory(), o)
}

// houseOn returns a server on a store, as each process of a service is one.
func houseOn(t *testing.T, store thread.Store, o serve.Options) *house {
	t.Helper()
	w, err := newWorld(store, false, o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	return &house{w, t, server.URL}
}

// toolName matches the tool of a call over MCP.
var toolName = regexp.MustCompile(`"params":\{"name":"(\w+)"`)

// ask makes a request of a tenant.
func (h *house) ask(tenant, method, path, body string) (int, string, http.Header) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+tenant)
	r.Header.Set("A2A-Version", "1.0")
	if strings.HasPrefix(path, "/live/mcp") { // also with clients that keep the run
		r.Header.Set("MCP-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "tools/call")
		if tool := toolName.FindStringSubmatch(body); tool != nil {
			r.Header.Set("Mcp-Name", tool[1])
		}
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if h.url == "" {
		to := httptest.NewRecorder()
		func() {
			defer func() {
				if cut := recover(); cut != nil && cut != http.ErrAbortHandler {
					panic(cut)
				}
			}()
			h.ServeHTTP(to, r)
		}()
		return to.Code, to.Body.String(), to.Header()
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		h.t.Fatal(err)
	}
	return response.StatusCode, text.String(), response.Header
}

// A tongue is how people speak over a wire.
type tongue struct {
	say    func(text string) (path, body string)              // to begin a run in the thread "a"
	asked  *regexp.Regexp                                     // what is sent of a request: its first group is how the client names it
	answer func(call, kind, value string) (path, body string) // to answer it, with a value in JSON
	error  *regexp.Regexp                                     // the form of a refusal: its first group is the code
}

// quoted returns a text in JSON.
func quoted(text string) string {
	data, _ := json.Marshal(text) // of a text
	return string(data)
}

// tongues are the wires.
var tongues = map[string]tongue{
	"own": {
		say: func(text string) (string, string) {
			return "/graphs/desk/threads", `{"thread":"a","input":{"message":` + quoted(text) + `}}`
		},
		asked:  regexp.MustCompile(`"id":"([^"]+)"`),
		answer: func(call, _, value string) (string, string) { return "/threads/a/requests/" + call, value },
		error:  regexp.MustCompile(`^\{"type":"urn:graphgen:\w+",.*"code":"(\w+)"`),
	},
	"aisdk": {
		say: func(text string) (string, string) {
			return "/ai/desk", `{"id":"a","messages":[{"id":"u","role":"user","parts":[{"type":"text","text":` + quoted(text) + `}]}]}`
		},
		asked: regexp.MustCompile(`"tool-input-available","toolCallId":"([^"]+)"`),
		answer: func(call, kind, value string) (string, string) {
			part := `"state":"output-available","output":` + value
			if yes := value == `"approve"` || value == `"continue"`; yes || value == `"deny"` {
				part = `"state":"approval-responded","approval":{"id":"x","approved":` + map[bool]string{true: "true", false: "false"}[yes] + `}`
			}
			part = `{"type":"tool-x","toolCallId":` + quoted(call) + `,` + part + `}`
			return "/ai/desk", `{"id":"a","messages":[{"id":"m","role":"assistant","parts":[` + part + `]}]}`
		},
		error: regexp.MustCompile(`^(\w+): `),
	},
	"agui": {
		say: func(text string) (string, string) {
			return "/agui/desk", `{"threadId":"a","runId":"r","messages":[{"id":"u","role":"user","content":` + quoted(text) + `}]}`
		},
		asked: regexp.MustCompile(`(?:"interrupts":\[\{"id":|"pendingToolCallIds":\[)"([^"]+)"`),
		answer: func(call, kind, value string) (string, string) {
			if kind == "client_tool" {
				message := `{"id":"t","role":"tool","toolCallId":` + quoted(call) + `,"content":` + quoted(value) + `}`
				return "/agui/desk", `{"threadId":"a","runId":"r2","messages":[` + message + `]}`
			}
			entry := `{"interruptId":` + quoted(call) + `,"status":"resolved","payload":` + value + `}`
			return "/agui/desk", `{"threadId":"a","runId":"r2","messages":[],"resume":[` + entry + `]}`
		},
		error: regexp.MustCompile(`^\{"type":"RUN_ERROR",.*"code":"(\w+)"`),
	},
	"chat completions": {
		say: func(text string) (string, string) {
			return "/live/openai/v1/chat/completions", `{"model":"desk","metadata":{"thread":"a"},"messages":[{"role":"user","content":` + quoted(text) + `}]}`
		},
		asked: regexp.MustCompile(`"tool_calls":\[\{"id":"([^"]+)"`),
		answer: func(call, _, value string) (string, string) {
			message := `{"role":"tool","tool_call_id":` + quoted(call) + `,"content":` + quoted(value) + `}`
			return "/live/openai/v1/chat/completions", `{"model":"desk","messages":[` + message + `]}`
		},
		error: regexp.MustCompile(`^\{"error":\{.*"code":"(\w+)"`),
	},
	"a2a": {
		say: func(text string) (string, string) {
			return "/live/a2a/desk", sendMessage(`"contextId":"a","parts":[{"text":` + quoted(text) + `}]`)
		},
		asked: regexp.MustCompile(`"task":\{"id":"([^"]+)"`),
		answer: func(call, _, value string) (string, string) {
			part := `{"data":` + value + `}`
			if strings.HasPrefix(value, `"`) {
				part = `{"text":` + value + `}`
			}
			return "/live/a2a/desk", sendMessage(`"taskId":` + quoted(call) + `,"parts":[` + part + `]`)
		},
		error: regexp.MustCompile(`"error":\{"code":-\d+,.*"reason":"(\w+)"`),
	},
	"langgraph": {
		say: func(text string) (string, string) {
			input := `{"messages":[{"type":"human","content":` + quoted(text) + `}]}`
			return "/live/langgraph/threads/a/runs/wait", `{"assistant_id":"desk","input":` + input + `}`
		},
		asked: regexp.MustCompile(`"__interrupt__":\[\{"id":"([^"]+)"`),
		answer: func(call, _, value string) (string, string) {
			resume := `{` + quoted(call) + `:` + value + `}`
			return "/live/langgraph/threads/a/runs/wait", `{"assistant_id":"desk","command":{"resume":` + resume + `}}`
		},
		error: regexp.MustCompile(`^\{"error":"(\w+)","message"`),
	},
	"mcp": {
		say: func(text string) (string, string) {
			return "/live/mcp/", toolCall(`"arguments":{"message":` + quoted(text) + `}`)
		},
		asked: regexp.MustCompile(`"requestState":"([^"]+)"`),
		answer: func(call, kind, value string) (string, string) {
			key := map[string]string{"decision": "sign", "tool_approval": "help", "client_tool": "help", "interrupt": "post", "reply": "ask"}[kind]
			content := map[string]string{`"approve"`: `{"approve":true}`, `"continue"`: `{"approve":true}`, `"deny"`: `{"approve":false}`}[value]
			switch {
			case content != "":
			case kind == "reply" && strings.HasPrefix(value, "{"):
				key, content = "rate", value
			case kind == "client_tool":
				content = `{"answer":` + quoted(value) + `}`
			case kind == "reply":
				content = `{"answer":` + value + `}`
			default:
				content = `{"approve":` + value + `}`
			}
			response := `"inputResponses":{` + quoted(key) + `:{"action":"accept","content":` + content + `}}`
			return "/live/mcp/", toolCall(`"arguments":{},"requestState":` + quoted(call) + `,` + response)
		},
		error: regexp.MustCompile(`"error":\{"code":-\d+,.*"data":\{"code":"(\w+)"`),
	},
	"responses": {
		say: func(text string) (string, string) {
			return "/live/openai/v1/responses", `{"model":"desk","conversation":"a","input":` + quoted(text) + `}`
		},
		asked: regexp.MustCompile(`"call_id":"([^"]+)"`),
		answer: func(call, _, value string) (string, string) {
			item := `{"type":"function_call_output","call_id":` + quoted(call) + `,"output":` + quoted(value) + `}`
			return "/live/openai/v1/responses", `{"model":"desk","input":[` + item + `]}`
		},
		error: regexp.MustCompile(`^\{"error":\{.*"code":"(\w+)"`),
	},
}

// Over MCP, clients keep where a run waits, or the run itself.
func init() {
	of := tongues["mcp"]
	sealed := func(path, body string) (string, string) {
		return strings.Replace(path, "/mcp/", "/mcp-sealed/", 1), body
	}
	say, answer := of.say, of.answer
	of.say = func(text string) (string, string) { return sealed(say(text)) }
	of.answer = func(call, kind, value string) (string, string) { return sealed(answer(call, kind, value)) }
	tongues["mcp sealed"] = of
}

// sendMessage returns a message over A2A.
func sendMessage(members string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER",` + members + `}}}`
}

// toolCall returns a call of the graph desk over MCP.
func toolCall(params string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"desk",` + meta + `,` + params + `}}`
}

// TestPeople holds that each kind of request is asked and answered over each wire, in its own form. What must not be answered is refused, in the form of the
// wire, before the run is touched.
func TestPeople(t *testing.T) {
	for wire, w := range tongues {
		for _, row := range []struct{ kind, text, right, wrong, reply string }{
			{"decision", "sign", `"approve"`, `{"stars":1}`, "signed"},
			{"decision", "sign", `"deny"`, `7`, "withdrawn"},
			{"reply", "ask", `"Ann"`, `7`, "named Ann"},
			{"reply", "rate", `{"stars":5}`, `{"stars":6}`, "rated"},
			{"tool_approval", "refund", `"approve"`, `{"decision":"approve","arguments":{"order":7}}`, "The desk heard: paid"},
			{"tool_approval", "refund", `"deny"`, `{"decision":"perhaps"}`, "The desk heard: "},
			{"client_tool", "where", `{"city":"Bonn"}`, `{"city":7}`, `The desk heard: {"city":"Bonn"}`},
			{"interrupt", "post", `"continue"`, `{"stars":1}`, "posted"},
		} {
			t.Run(wire+", "+row.kind+" "+row.right, func(t *testing.T) {
				h := newHouse(t, serve.Options{})
				value := func(of string) string { // the own API wants the answer as the request describes it
					if wire == "own" && row.kind == "client_tool" {
						return `{"result":` + of + `}`
					}
					return of
				}
				state := func() string {
					t.Helper()
					_, text, _ := h.ask("t", "GET", "/threads", "")
					return text
				}
				begin := func(tenant string) string {
					t.Helper()
					path, body := w.say(row.text)
					status, text, _ := h.ask(tenant, "POST", path, body)
					if wire == "own" {
						_, _, _ = h.ask(tenant, "GET", "/threads/a/events", "") // until it waits
						_, text, _ = h.ask(tenant, "GET", "/threads/a/requests", "")
					}
					asked := w.asked.FindStringSubmatch(text)
					if status >= 300 || asked == nil {
						t.Fatalf("%d: nothing is asked\n%s", status, text)
					}
					return asked[1]
				}
				refuses := func(what, tenant, call, with, code string, least int) {
					t.Helper()
					before, done := state(), len(h.staff.Done)
					path, body := w.answer(call, row.kind, value(with))
					status, text, _ := h.ask(tenant, "POST", path, body)
					got := w.error.FindStringSubmatch(text)
					if wire == "a2a" { // whose errors are answers
						least = http.StatusOK
					}
					if status < least || got == nil || !strings.Contains(code, got[1]) {
						t.Errorf("%s: %d %s, want %s", what, status, text, code)
					}
					if state() != before || len(h.staff.Done) != done {
						t.Errorf("%s: the run was touched: it was %s, and is %s", what, before, state())
					}
				}
				call := begin("t")
				refuses("an answer of another tenant", "u", call, row.right, "not_found closed state", 404)
				refuses("an answer of nobody", "nobody", call, row.right, "unauthenticated", 401)
				if text := wire == "chat completions" || wire == "responses"; !text || row.text != "ask" { // whose answers are texts
					refuses("an answer of the wrong type", "t", call, row.wrong, "invalid", 422)
				}
				refuses("an answer to a request that does not exist", "t", call+"x", row.right, "closed state not_found", 404)
				path, body := w.answer(call, row.kind, value(row.right))
				status, text, _ := h.ask("t", "POST", path, body)
				if wire == "own" {
					_, text, _ = h.ask("t", "GET", "/threads/a/events", "")
				}
				if reply, _ := json.Marshal(row.reply); status >= 300 || !strings.Contains(joined(text), strings.Trim(string(reply), `"`)) {
					t.Fatalf("%d: no %s in\n%s", status, row.reply, text)
				}
				refuses("a second answer", "t", call, row.right, "closed state", 409)
				if begin("t"); wire != "own" { // there the ID is of the open request
					refuses("an answer to a request of the run before", "t", call, row.right, "closed not_found", 409)
				}
			})
		}
	}
}

// TestNoDecision holds that wires whose decisions are true or false refuse other values.
func TestNoDecision(t *testing.T) {
	for wire, values := range map[string][]string{
		"mcp": {"1", "0", "null", `"true"`, `"t"`}, "langgraph": {"1", "null", `"true"`}, "agui": {"1", "null", `"true"`},
	} {
		h, w := newHouse(t, serve.Options{}), tongues[wire]
		path, body := w.say("sign")
		_, text, _ := h.ask("t", "POST", path, body)
		asked := w.asked.FindStringSubmatch(text)
		if asked == nil {
			t.Fatalf("%s: nothing is asked\n%s", wire, text)
		}
		for _, value := range values {
			path, body := w.answer(asked[1], "decision", value)
			if status, text, _ := h.ask("t", "POST", path, body); status != http.StatusUnprocessableEntity {
				t.Errorf("%s, %s: %d %s", wire, value, status, text)
			}
		}
		path, body = w.answer(asked[1], "decision", "true")
		if status, text, _ := h.ask("t", "POST", path, body); status != http.StatusOK || !strings.Contains(joined(text), "signed") {
			t.Errorf("%s, true: %d %s", wire, status, text)
		}
	}
}

// TestLate holds that an answer after the deadline, a yes, is not taken over any wire: the run continues as without one.
func TestLate(t *testing.T) {
	for wire, w := range tongues {
		t.Run(wire, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { late(t, wire, w) }) })
	}
}

func late(t *testing.T, wire string, w tongue) {
	t.Helper()
	world, err := newWorld(thread.NewMemory(), false, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := &house{world: world, t: t}
	path, body := w.say("hurry")
	_, text, _ := h.ask("t", "POST", path, body)
	if wire == "own" {
		_, _, _ = h.ask("t", "GET", "/threads/a/events", "") // until it waits
		_, text, _ = h.ask("t", "GET", "/threads/a/requests", "")
	}
	asked := w.asked.FindStringSubmatch(text)
	if asked == nil {
		t.Fatalf("nothing is asked\n%s", text)
	}
	time.Sleep(2 * time.Millisecond) // past the deadline, by the clock of the test
	path, body = w.answer(asked[1], "decision", `"approve"`)
	_, text, _ = h.ask("t", "POST", path, strings.Replace(body, `"sign":`, `"hurry":`, 1))
	if wire == "own" {
		_, text, _ = h.ask("t", "GET", "/threads/a/events", "")
	}
	if text = joined(text); !strings.Contains(text, "too late") || strings.Contains(text, "signed") {
		t.Errorf("the run has ended with %s", text)
	}
}

// TestSeveralAnswers holds that of several answers in one request none counts if one is not valid.
func TestSeveralAnswers(t *testing.T) {
	for wire, rows := range map[string]struct{ say, answer string }{
		"ai": {
			`{"id":"a","messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"two"}]}]}`,
			`{"id":"a","messages":[{"id":"m","role":"assistant","parts":[
				{"type":"tool-refund","toolCallId":"ONE","state":"approval-responded","approval":{"id":"x","approved":true}},
				{"type":"tool-locate","toolCallId":"TWO","state":"output-available","output":VALUE}]}]}`,
		},
		"agui": {
			`{"threadId":"a","runId":"r","messages":[{"id":"u","role":"user","content":"two"}]}`,
			`{"threadId":"a","runId":"r2","messages":[{"id":"t","role":"tool","toolCallId":"TWO","content":TEXT}],
				"resume":[{"interruptId":"ONE","status":"resolved","payload":true}]}`,
		},
		"live/langgraph/threads/a/runs/wait": {
			`{"assistant_id":"desk","input":{"messages":[{"type":"human","content":"two"}]}}`,
			`{"assistant_id":"desk","command":{"resume":{"ONE":"approve","TWO":VALUE}}}`,
		},
		"live/openai/v1/chat/completions": {
			`{"model":"desk","metadata":{"thread":"a"},"messages":[{"role":"user","content":"two"}]}`,
			`{"model":"desk","messages":[{"role":"tool","tool_call_id":"ONE","content":"approve"},{"role":"tool","tool_call_id":"TWO","content":TEXT}]}`,
		},
	} {
		t.Run(wire, func(t *testing.T) {
			h := newHouse(t, serve.Options{})
			path := "/" + wire
			if !strings.HasPrefix(wire, "live") {
				path += "/desk"
			}
			status, text, _ := h.ask("t", "POST", path, rows.say)
			var calls []string
			for _, id := range regexp.MustCompile(`"(call_[\w-]+)"`).FindAllStringSubmatch(text, -1) {
				if len(calls) == 0 || calls[len(calls)-1] != id[1] && calls[0] != id[1] {
					calls = append(calls, id[1])
				}
			}
			if status != http.StatusOK || len(calls) != 2 {
				t.Fatalf("%d %v %s", status, calls, text)
			}
			before := status
			answer := func(value string) (int, string) {
				body := strings.NewReplacer("ONE", calls[0], "TWO", calls[1], "VALUE", value, "TEXT", quoted(value)).Replace(rows.answer)
				status, text, _ := h.ask("t", "POST", path, body)
				return status, text
			}
			if status, text := answer(`{"city":7}`); status != http.StatusUnprocessableEntity || len(h.staff.Done) != 0 {
				t.Errorf("%d %s", status, text)
			}
			if _, text, _ := h.ask("t", "GET", "/threads/a/requests", ""); strings.Count(text, `"id":`) != 2 {
				t.Errorf("the requests are %s", text)
			}
			if status, text := answer(`{"city":"Bonn"}`); status != before || len(h.staff.Done) != 1 || !strings.Contains(joined(text), "Bonn") {
				t.Errorf("%d %s", status, text)
			}
		})
	}
}

// joined returns a stream with the pieces of its texts joined.
func joined(stream string) string {
	pieces := regexp.MustCompile(`"delta":"((?:[^"\\]|\\.)*)"`)
	all := stream
	for _, p := range pieces.FindAllStringSubmatch(stream, -1) {
		all += p[1]
	}
	return all
}

// TestReaders holds that several clients read the output of a run at the same time, at one process and at several.
func TestReaders(t *testing.T) {
	store := thread.NewMemory()
	houses := []*house{houseOn(t, store, serve.Options{}), houseOn(t, store, serve.Options{})}
	path, body := tongues["a2a"].say("hi")
	_, _, _ = houses[0].ask("t", "POST", path, body)
	get := houses[0].task("GetTask")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			status, text, _ := houses[i%2].ask("t", "POST", "/live/a2a/desk", get)
			if status != http.StatusOK || !strings.Contains(text, "TASK_STATE_COMPLETED") {
				t.Errorf("%d %s", status, text)
			}
		})
	}
	all.Wait()
}
