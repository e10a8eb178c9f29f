package conversation

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

// whole is a Thread with everything that a message can have.
const whole = `{"title":"t",` +
	`"said":[{"role":"user","text":"hi","media":[{"type":"image/png","url":"https://a/b"},{"type":"text/plain","data":"eA==","name":"a.txt"}]},` +
	`{"role":"assistant","text":"one moment","calls":[{"id":"a","name":"f","arguments":"{\"x\": 1}","opaque":"sig"}],` +
	`"reasoning":[{"text":"hm"},{"opaque":"o","hidden":true}],"voice":"large"},` +
	`{"role":"tool","text":"offline","call":"a","name":"f","failed":true},` +
	`{"role":"system","text_base64":"/w=="}],` +
	`"opening":{"role":"user"},"last":{"role":"assistant","text":"bye"},"others":{"a":[{"role":"user"}],"b":[]},"drafts":[[{"role":"user"}],[]]}`

func TestThreadJSON(t *testing.T) {
	var v Thread
	if err := codec.UnmarshalString(whole, &v); err != nil {
		t.Fatal(err)
	}
	if said := v.Said[1]; said.Role != chat.RoleAssistant || said.Calls[0].Opaque != "sig" || !said.Reasoning[1].Hidden || v.Said[3].Text != "\xff" {
		t.Errorf("read %+v", v)
	}
	if got, err := codec.Marshal(v); err != nil || string(got) != whole {
		t.Errorf("written (error %v):\n%s\nwant:\n%s", err, got, whole)
	}
	var again Thread
	if err := json.Unmarshal([]byte(whole), &again); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(again); err != nil || string(got) != whole {
		t.Errorf("encoding/json/v2 writes (error %v):\n%s", err, got)
	}
}

func TestThreadRefusals(t *testing.T) {
	for name, c := range map[string]struct{ from, to, says string }{
		"too many messages":  {`{"role":"system","text_base64":"/w=="}`, `{"role":"user"},{"role":"user"}`, "said"},
		"no role":            {`"opening":{"role":"user"}`, `"opening":{}`, "role"},
		"an unknown role":    {`"opening":{"role":"user"}`, `"opening":{"role":"human"}`, "human"},
		"an unknown member":  {`"opening":{"role":"user"}`, `"opening":{"role":"user","content":"hi"}`, "content"},
		"a text that is one": {`"said":[{"role":"user","text":"hi"`, `"said":[{"role":"user","text":["hi"]`, "text"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(whole, c.from, c.to, 1)
			if text == whole {
				t.Fatal("nothing was replaced")
			}
			if err := codec.UnmarshalString(text, new(Thread)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one with %q", err, c.says)
			}
		})
	}
}

func TestZeroThread(t *testing.T) {
	out, err := codec.Marshal(StoredOutput{Last: chat.UserText("hi")})
	if want := `{"last":{"role":"user","text":"hi"}}`; err != nil || string(out) != want {
		t.Errorf("an output without a thread is %s (error %v), want %s", out, err, want)
	}
	out, err = codec.Marshal(StoredOutput{Thread: Thread{Opening: chat.UserText("hi")}})
	if err == nil {
		t.Errorf("a thread with too few messages is written: %s", out)
	}
}
