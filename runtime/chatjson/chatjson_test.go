package chatjson_test

import (
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

func TestMessagesSurviveJSON(t *testing.T) {
	for story, c := range map[string]struct {
		message chat.Message
		json    string
	}{
		"a user's": {chat.UserText("hi"), `{"role":"user","text":"hi"}`},
		"with an image and a file": {
			chat.Message{Role: chat.RoleUser,
				Media: []chat.Media{{Type: "image/png", URL: "https://a/b"}, {Type: "text/plain", Data: []byte("x"), Name: "a.txt"}}},
			`{"role":"user","media":[{"type":"image/png","url":"https://a/b"},{"type":"text/plain","data":"eA==","name":"a.txt"}]}`,
		},
		"one that asks for tools": {
			chat.Message{Role: chat.RoleAssistant, Calls: []chat.ToolCall{{ID: "a", Name: "f", Arguments: `{"x": 1}`, Opaque: "sig"}},
				Reasoning: []chat.Reasoning{{Text: "hm"}, {Opaque: "o", Hidden: true}}},
			`{"role":"assistant","calls":[{"id":"a","name":"f","arguments":"{\"x\": 1}","opaque":"sig"}],"reasoning":[{"text":"hm"},` +
				`{"opaque":"o","hidden":true}]}`,
		},
		"a tool's": {
			chat.Message{Role: chat.RoleTool, Text: "no such file", Call: "a", Name: "f", Failed: true},
			`{"role":"tool","text":"no such file","call":"a","name":"f","failed":true}`,
		},
		"texts that are not UTF-8": {
			chat.Message{Role: chat.RoleTool, Text: "\xff", Calls: []chat.ToolCall{{Arguments: "\xfe"}}, Reasoning: []chat.Reasoning{{Text: "\xfd"}}},
			`{"role":"tool","text_base64":"/w==","calls":[{"arguments_base64":"/g=="}],"reasoning":[{"text_base64":"/Q=="}]}`,
		},
	} {
		t.Run(story, func(t *testing.T) {
			data, err := codec.Marshal(codec.Of(c.message, chatjson.EncodeMessage))
			if err != nil || string(data) != c.json {
				t.Fatalf("got %s (error %v), want %s", data, err, c.json)
			}
			var back chat.Message
			if err := codec.Unmarshal(data, codec.Into(&back, chatjson.DecodeMessage)); err != nil {
				t.Fatal(err)
			}
			again, err := codec.Marshal(codec.Of(back, chatjson.EncodeMessage))
			if err != nil || string(again) != c.json {
				t.Errorf("comes back as %s (error %v)", again, err)
			}
		})
	}
}

// Where a document has media beside it, or none, their bytes are not in its text.
func TestMediaBesideTheDocument(t *testing.T) {
	m := chat.Message{Role: chat.RoleUser, Text: "look",
		Media: []chat.Media{{Type: "image/png", Data: []byte("otter")}, {Type: "image/png", URL: "https://a/b", Name: "b"}}}
	write := codec.Of(m, chatjson.EncodeMessage)
	var beside []chat.Media
	data, err := codec.AppendAttached(nil, write, func(v any) int {
		beside = append(beside, v.(chat.Media))
		return len(beside)
	})
	if want := `{"role":"user","text":"look","media":[{"type":"image/png","attachment":1},{"type":"image/png",` +
		`"attachment":2,"name":"b"}]}`; err != nil || string(data) != want {
		t.Errorf("got %s (error %v), want %s", data, err, want)
	}
	var back chat.Message
	find := func(n int) any { return beside[n-1] }
	if err := codec.UnmarshalAttached(string(data), codec.Into(&back, chatjson.DecodeMessage), find); err != nil || !back.Equal(m) {
		t.Errorf("comes back as %v (error %v)", back, err)
	}
	if err := codec.Unmarshal(data, codec.Into(&back, chatjson.DecodeMessage)); err == nil ||
		err.Error() != "media[0]: there is no media beside the document: want it as data or url" {
		t.Errorf("without the media: %v", err)
	}
	brief, err := codec.AppendBrief(nil, write)
	if want := `{"role":"user","text":"look","media":[{"type":"image/png","bytes":5},{"type":"image/png",` +
		`"url":"https://a/b","name":"b"}]}`; err != nil || string(brief) != want {
		t.Errorf("got %s (error %v), want %s", brief, err, want)
	}
}

func TestAMessageOfNobodyIsNone(t *testing.T) {
	if _, err := codec.Marshal(codec.Of(chat.Message{}, chatjson.EncodeMessage)); err == nil || err.Error() != "role: Role is not set" {
		t.Errorf("got %v", err)
	}
	if err := codec.UnmarshalString(`{"text":"hi"}`, codec.Into(new(chat.Message), chatjson.DecodeMessage)); err == nil ||
		err.Error() != `missing field "role" of Message` {
		t.Errorf("got %v", err)
	}
}

func TestUsageSurvivesJSON(t *testing.T) {
	usage := chat.Usage{Input: 1, Output: 2, Reasoning: 3, CacheRead: 4, CacheWrite: 5, Cost: 0.25}
	data, err := codec.Marshal(codec.Of(usage, chatjson.EncodeUsage))
	var back chat.Usage
	if wrong := codec.Unmarshal(data, codec.Into(&back, chatjson.DecodeUsage)); err != nil || wrong != nil || back != usage {
		t.Errorf("%s is %+v (errors %v, %v)", data, back, err, wrong)
	}
	if string(data) != `{"input":1,"output":2,"reasoning":3,"cache_read":4,"cache_write":5,"cost":0.25}` {
		t.Errorf("got %s", data)
	}
}
