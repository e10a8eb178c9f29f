package judges_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/mcp"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
)

// prompting returns a server whose graph letter has a prompt, and the function that asks it: in the revision of the protocol, as a tenant.
func prompting(t *testing.T, o mcp.Options, asked *chat.Request) func(version, tenant, method, params string) (int, string) {
	t.Helper()
	letter, err := servetest.NewLetter(chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		*asked = *req
		return &chat.Response{Message: chat.Message{Role: chat.RoleAssistant, Text: "Dear Ann."}, Finish: chat.Stop}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	h, err := serve.New(serve.Options{Identify: bearer, Authorize: func(_ context.Context, a serve.Access) error {
		if a.Verb == serve.Describe && a.Tenant == "blind" {
			return errors.New("no")
		}
		return nil
	}}, serve.Plain("letters", letter))
	if err != nil {
		t.Fatal(err)
	}
	wire := mcp.New(h, o)
	return func(version, tenant, method, params string) (int, string) {
		t.Helper()
		meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version + `","io.modelcontextprotocol/clientCapabilities":{}}`
		if params != "" {
			meta += ","
		}
		r := httptest.NewRequest("POST", "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+meta+params+`}}`))
		var named struct{ Name string }
		_ = json.Unmarshal([]byte("{"+params+"}"), &named) // of a name that is none
		for name, value := range map[string]string{
			"Content-Type": "application/json", "MCP-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": named.Name,
			"Authorization": "Bearer " + tenant,
		} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		wire.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
}

// arguments are valid arguments of the prompt, as the members of an object.
func arguments(replaced ...string) string {
	values := map[string]string{"name": "{{tone}} Ann ```", "tone": "kind", "pages": "2", "to": `{"city": "Bonn", "zip": "53"}`,
		"topics": "[\"rent\", \"````\"]"}
	for i := 0; i+1 < len(replaced); i += 2 {
		if values[replaced[i]] = replaced[i+1]; replaced[i+1] == "-" {
			delete(values, replaced[i])
		}
	}
	data, _ := json.Marshal(values) // of texts
	return `"name":"letters/write","arguments":` + string(data)
}

// TestPrompts holds that the prompt of a node is one of the MCP server, in both revisions, with the fields that it has as arguments, and that it becomes what
// a run with the same values sends its model.
func TestPrompts(t *testing.T) {
	var sent chat.Request
	ask := prompting(t, mcp.Options{Prompts: true}, &sent)
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		_, text := ask(version, "t", "prompts/list", "")
		var list struct {
			Result struct {
				Prompts []struct {
					Name, Description string
					Arguments         []struct {
						Name, Description string
						Required          bool
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Result.Prompts) != 1 {
			t.Fatal(text, err)
		}
		p := list.Result.Prompts[0]
		var got []string
		for _, a := range p.Arguments {
			if got = append(got, a.Name); a.Required {
				got[len(got)-1] += "!"
			}
		}
		if want := []string{"tone!", "to!", "topics", "name!", "pages"}; p.Name != "letters/write" || p.Description != "writes the letter" ||
			!slices.Equal(got, want) || !strings.Contains(p.Arguments[4].Description, `"maximum":9`) || p.Arguments[3].Description != "who gets the letter" {
			t.Errorf("the prompt is %+v", p)
		}
		_, text = ask(version, "t", "prompts/get", arguments())
		var filled struct {
			Result struct {
				Messages []struct {
					Role    string
					Content struct{ Text string }
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &filled); err != nil || len(filled.Result.Messages) != 2 {
			t.Fatal(text, err)
		}
		input := `{"name":"{{tone}} Ann ` + "```" + `","tone":"kind","pages":2,"to":{"city":"Bonn","zip":"53"},"topics":["rent","` + "````" + `"]}`
		if _, text := ask(version, "t", "tools/call", `"name":"letters","arguments":`+input); !strings.Contains(text, "Dear Ann.") {
			t.Fatal(text)
		}
		if m := filled.Result.Messages; m[0].Content.Text != sent.System || m[1].Content.Text != sent.Messages[0].Text || m[0].Role != "user" {
			t.Errorf("the prompt is %+v\nthe model gets\n%s\n%s", m, sent.System, sent.Messages[0].Text)
		}
		if _, text := ask(version, "t", "prompts/get", arguments("topics", "-", "pages", "-")); !strings.Contains(text, "on 1 pages") {
			t.Errorf("without optional arguments: %s", text)
		}
	}
}

// TestHostilePrompts holds that arguments which the spec does not allow are refused, and repeated by no answer, and that prompts are for those alone who may
// read the graph, of a server that has them.
func TestHostilePrompts(t *testing.T) {
	var sent chat.Request
	ask := prompting(t, mcp.Options{Prompts: true}, &sent)
	const version = "2026-07-28"
	for _, params := range []string{
		arguments("sesame", "x"), arguments("text", "sesame"), arguments("name", "-"), arguments("tone", "-"), arguments("to", "-"),
		arguments("tone", "sesame"), arguments("tone", ""), arguments("name", strings.Repeat("sesame", 4)),
		arguments("pages", "0"), arguments("pages", "10"), arguments("pages", "1.5"), arguments("pages", "1e400"), arguments("pages", `"3"`),
		arguments("pages", "3 4"), arguments("pages", ""), arguments("pages", "null"), arguments("pages", "sesame"), arguments("pages", "{}"),
		arguments("to", "sesame"), arguments("to", `{"city":"a","sesame":1}`), arguments("to", `{"zip":"a"}`),
		arguments("to", `{"city":7}`), arguments("to", `[]`),
		arguments("topics", `["a","b","c","d"]`), arguments("topics", `[1]`), arguments("topics", `[`), arguments("topics", strings.Repeat("[", 20000)),
		`"name":"letters/write","arguments":["sesame"]`, `"name":"letters/write","arguments":{"name":7}`, `"name":"letters/sesame"`,
		`"name":"letters"`, `"name":""`,
		`"name":"sesame/write"`,
	} {
		status, text := ask(version, "t", "prompts/get", params)
		if !strings.Contains(text, `"code":-32602`) || strings.Contains(text, "sesame") && !strings.Contains(text, `"field":"arguments.sesame"`) {
			t.Errorf("%s: %d %s", params, status, text)
		}
	}
	if _, text := ask(version, "blind", "prompts/list", ""); !strings.Contains(text, `"prompts":[]`) {
		t.Errorf("a caller who may not read the graph gets %s", text)
	}
	if _, text := ask(version, "blind", "prompts/get", arguments()); !strings.Contains(text, "there is no such prompt") {
		t.Errorf("a caller who may not read the graph gets %s", text)
	}
	if status, text := ask(version, "nobody", "prompts/list", ""); status != http.StatusUnauthorized {
		t.Errorf("%d %s", status, text)
	}
	if _, text := ask(version, "t", "server/discover", ""); !strings.Contains(text, `"prompts":{}`) {
		t.Errorf("the server has %s", text)
	}
	ask = prompting(t, mcp.Options{}, &sent)
	for _, method := range []string{"prompts/list", "prompts/get"} {
		if _, text := ask(version, "t", method, arguments()); !strings.Contains(text, `"code":-32601`) {
			t.Errorf("%s of a server without prompts: %s", method, text)
		}
	}
	if _, text := ask(version, "t", "server/discover", ""); strings.Contains(text, `"prompts"`) {
		t.Errorf("the server has %s", text)
	}
}
