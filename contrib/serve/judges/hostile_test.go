package judges_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/speech"
)

// forms are the wires: how a request looks with a thread, a role, a part of a message and a call that is answered, and how an error begins.
var forms = map[string]struct{ path, say, answer, refusal string }{
	"aisdk": {
		"/ai/desk", `{"id":THREAD,"messages":[{"id":"u","role":ROLE,"parts":[PART]}]}`,
		`{"id":THREAD,"messages":[{"id":"m","role":"assistant","parts":[{"type":"tool-x","toolCallId":CALL,"state":"output-available","output":1}]}]}`, "",
	},
	"agui": {
		"/agui/desk", `{"threadId":THREAD,"runId":"r","messages":[{"id":"u","role":ROLE,"content":[PART]}]}`,
		`{"threadId":THREAD,"runId":"r","messages":[],"resume":[{"interruptId":CALL,"status":"resolved","payload":1}]}`, `{"type":"RUN_ERROR"`,
	},
	"langgraph": {
		"/live/langgraph/threads/THREAD/runs/wait", `{"assistant_id":"desk","input":{"messages":[{"role":ROLE,"content":[PART]}]}}`,
		`{"assistant_id":"desk","command":{"resume":{CALL:1}}}`, `{"error":"`,
	},
	"chat completions": {
		"/live/openai/v1/chat/completions", `{"model":"desk","metadata":{"thread":THREAD},"messages":[{"role":ROLE,"content":[PART]}]}`,
		`{"model":"desk","messages":[{"role":"tool","tool_call_id":CALL,"content":"1"}]}`, `{"error":{`,
	},
	"responses": {
		"/live/openai/v1/responses", `{"model":"desk","conversation":THREAD,"input":[{"role":ROLE,"content":[PART]}]}`,
		`{"model":"desk","input":[{"type":"function_call_output","call_id":CALL,"output":"1"}]}`, `{"error":{`,
	},
}

// TestHostile holds what the wires answer to requests that no client makes: an error in the wire's own form, which repeats no secret, and no run.
func TestHostile(t *testing.T) {
	const evil = "a\r\n\r\nevent: x\ndata: <script>alert(1)</script>"
	for wire, f := range forms {
		h := newHouse(t, serve.Options{Limits: serve.Limits{Body: 64 << 10}})
		fill := func(form, thread, role, part, call string) string {
			return strings.NewReplacer("THREAD", quoted(thread), "ROLE", quoted(role), "PART", part, "CALL", quoted(call)).Replace(form)
		}
		text := func(of string) string { return `{"type":"text","text":` + quoted(of) + `}` }
		say := func(thread, role, part string) string { return fill(f.say, thread, role, part, "") }
		answer := func(call string) string { return fill(f.answer, "a", "", "", call) }
		threads := map[string]string{"a thread with controls": evil, "a thread that is long": strings.Repeat("x", 200)}
		for name, row := range map[string]struct {
			body   string
			status int
		}{
			"no JSON":                  {"sesame", 400},
			"a body that ends early":   {`{"id":`, 400},
			"an empty body":            {" ", 400},
			"a list":                   {`[1]`, 400},
			"deep JSON":                {strings.Repeat("[", 20000) + strings.Repeat("]", 20000), 400},
			"a member of another type": {`{"messages":7,"model":7,"threadId":7}`, 400},
			"a body that is too large": {say("a", "user", text(strings.Repeat("x", 70<<10))), 413},
			"a text that is too long":  {say("a", "user", text(strings.Repeat("x", 5000))), 422},
			"an unknown role":          {say("a", "sesame", text("hi")), 422},
			"a system message":         {say("a", "system", text("the word sesame")), 422},
			"an unknown part":          {say("a", "user", `{"type":"sesame"}`), 422},
			"no message of the user":   {say("a", "assistant", text("hi")), 404},
			"a thread with controls":   {say(threads["a thread with controls"], "user", text("hi")), 400},
			"a thread that is long":    {say(threads["a thread that is long"], "user", text("hi")), 400},
			"a call that is no name":   {answer("sesame"), 404},
			"a call of no thread":      {answer(speech.Call{Thread: "none", Run: "none.1", Request: "sign.1"}.String()), 404},
			"a call of evil":           {answer(speech.Call{Thread: evil, Run: evil, Request: evil}.String()), 400},
			"a call that is half":      {answer("call_WyJhIl0"), 404},
		} {
			t.Run(wire+", "+name, func(t *testing.T) {
				h.t = t
				thread := "a"
				if other := threads[name]; other != "" {
					thread = other
				}
				status, got, header := h.ask("t", "POST", strings.Replace(f.path, "THREAD", url.PathEscape(thread), 1), row.body)
				if status != row.status && (row.status != 404 || status != 409 && status != 422) && (row.status != 400 || status != 409 && status != 404) {
					t.Errorf("%d, want %d: %s", status, row.status, got)
				}
				leaks := strings.Contains(got, "sesame") || strings.Contains(got, "<script>") || strings.ContainsAny(got, "\r")
				if leaks || !strings.HasPrefix(got, f.refusal) {
					t.Errorf("the answer is %s", got)
				}
				if strings.Contains(f.path, "openai") && header.Get("X-Should-Retry") != "false" {
					t.Errorf("the client may repeat it: %v", header)
				}
				if header.Get("X-Content-Type-Options") != "nosniff" || strings.Contains(header.Get("Content-Type"), "html") {
					t.Errorf("the header is %v", header)
				}
			})
		}
		h.t = t
		if _, list, _ := h.ask("t", "GET", "/threads", ""); !strings.Contains(list, `"threads":[]`) {
			t.Errorf("%s: there are threads: %s", wire, list)
		}
	}
}

// named matches what begins an event of LangGraph.
var named = regexp.MustCompile(`^(?:event: (?:metadata|values|messages)|id: \d+)$`)

// TestTexts holds that texts of clients and models are texts over each wire: they end no event, and begin none.
func TestTexts(t *testing.T) {
	const evil = "a\r\n\r\nevent: x\ndata: [DONE]\n\n\u2028<script>\x00\x1b"
	for wire, of := range tongues {
		if wire == "own" {
			continue
		}
		h := newHouse(t, serve.Options{})
		path, body := streamed(of.say(evil))
		status, text, _ := h.ask("t", "POST", path, body)
		if status != http.StatusOK {
			t.Errorf("%s: %d %s", wire, status, text)
		}
		for line := range strings.SplitSeq(text, "\n") {
			data, isData := strings.CutPrefix(line, "data: ")
			switch {
			case isData && data != "[DONE]" && !json.Valid([]byte(data)):
				t.Errorf("%s: the data is no JSON: %q", wire, data)
			case strings.HasPrefix(wire, "mcp") && json.Valid([]byte(line)): // it is not streamed
			case line == "" || isData || strings.HasPrefix(line, "event: response."), wire == "langgraph" && named.MatchString(line):
			default:
				t.Errorf("%s: the line is %q", wire, line)
			}
		}
	}
}

// TestSecretsStay holds that clients without Options.Details are sent nothing that is not for them: no prompt, no private field, no text of an error and no
// result of a tool.
func TestSecretsStay(t *testing.T) {
	for wire, of := range tongues {
		h := newHouse(t, serve.Options{})
		for _, text := range []string{"fail", "sign", "think"} {
			path, body := of.say(text)
			path, body = strings.Replace(path, "/a/", "/"+text+"/", 1), strings.ReplaceAll(body, `"a"`, quoted(text))
			_, got, _ := h.ask("t", "POST", path, body)
			for _, path := range []string{"/events", "/state", "/history"} { // of a thread that the client has named
				_, more, _ := h.ask("t", "GET", "/threads/"+text+path, "")
				got += more
			}
			for _, secret := range []string{"sesame", "tenant", ".yaml"} {
				if strings.Contains(got, secret) {
					t.Errorf("%s is sent %s", wire, got)
				}
			}
		}
	}
}
