package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/tidwall/gjson"
)

// The fields beside OpenAI's in which servers give reasoning and signatures.
const (
	fieldContent   = "reasoning_content" // DeepSeek, vLLM, llama.cpp: text
	fieldReasoning = "reasoning"         // Ollama, OpenRouter, vLLM: text
	fieldDetails   = "reasoning_details" // OpenRouter: a list of objects with texts, signatures, encrypted data
	fieldExtra     = "extra_content"     // Gemini, of a tool call: its signature
)

// opaquePrefix begins what this package writes into Opaque: the field's name follows, and after
// a colon the value where that is not the text. What other providers write there is not sent.
const opaquePrefix = "openai:"

// opaqueOf returns the value that was kept of a field.
func opaqueOf(opaque, field string) (value string, ok bool) {
	return strings.CutPrefix(opaque, opaquePrefix+field+":")
}

// reasoningFields returns the fields that give a server its reasoning back.
func reasoningFields(list []chat.Reasoning) map[string]any {
	fields := map[string]any{}
	for _, r := range list {
		if details, ok := opaqueOf(r.Opaque, fieldDetails); ok {
			fields[fieldDetails] = json.RawMessage(details)
			continue
		}
		for _, field := range []string{fieldContent, fieldReasoning} {
			if r.Opaque == opaquePrefix+field {
				text, _ := fields[field].(string)
				fields[field] = text + r.Text
			}
		}
	}
	return fields
}

// A thought gathers the reasoning of an answer.
type thought struct {
	field   string // of the text
	text    strings.Builder
	details []detail
}

// reasoning returns what has been gathered, in the form of a message.
func (t *thought) reasoning() []chat.Reasoning {
	text := t.text.String()
	switch {
	case len(t.details) > 0:
		if text == "" {
			text = textOf(t.details)
		}
		return []chat.Reasoning{{
			Text: text, Hidden: text == "", Opaque: opaquePrefix + fieldDetails + ":" + writeDetails(t.details),
		}}
	case text != "" && t.field != "":
		return []chat.Reasoning{{Text: text, Opaque: opaquePrefix + t.field}}
	case text != "":
		return []chat.Reasoning{{Text: text}}
	}
	return nil
}

// A detail is one object of reasoning_details: its members in their order.
type detail []detailMember

// mostMembers is how many members of a detail are kept. To join two details, each is looked up in the other.
const mostMembers = 100

type detailMember struct {
	name  string
	value []byte // JSON
}

func (d detail) get(name string) []byte {
	for _, m := range d {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// addDetails adds a list of details. A stream has them in pieces: consecutive ones of the same
// type and index are one.
func (t *thought) addDetails(raw string) {
	gjson.Parse(raw).ForEach(func(_, value gjson.Result) bool {
		if !value.IsObject() {
			return true
		}
		var d detail
		value.ForEach(func(key, v gjson.Result) bool {
			d = append(d, detailMember{key.String(), []byte(v.Raw)})
			return len(d) < mostMembers
		})
		if n := len(t.details); n > 0 && continues(t.details[n-1], d) {
			t.details[n-1] = join(t.details[n-1], d)
		} else {
			t.details = append(t.details, d)
		}
		return true
	})
}

// continues reports whether a detail is a further piece of the one before. A piece without an index
// is a detail of its own.
func continues(last, next detail) bool {
	same := func(name string) bool { return bytes.Equal(last.get(name), next.get(name)) }
	return next.get("index") != nil && same("index") && same("type")
}

// pieced are the members whose texts grow piece by piece. The others are sent whole.
var pieced = []string{"text", "summary", "data"}

func join(last, next detail) detail {
	for _, m := range next {
		at := slices.IndexFunc(last, func(known detailMember) bool { return known.name == m.name })
		switch {
		case at < 0 && len(last) == mostMembers:
		case at < 0:
			last = append(last, m)
		case slices.Contains(pieced, m.name) && isText(last[at].value) && isText(m.value):
			value := last[at].value
			last[at].value = append(value[:len(value)-1], m.value[1:]...)
		case string(m.value) != "null":
			last[at].value = m.value
		}
	}
	return last
}

// isText reports whether a JSON value is a string.
func isText(value []byte) bool { return len(value) >= 2 && value[0] == '"' }

// textOf returns what can be read of details, for servers that give it nowhere else.
func textOf(details []detail) string {
	var b strings.Builder
	for _, d := range details {
		for _, name := range []string{"text", "summary"} {
			if value := d.get(name); isText(value) {
				b.WriteString(gjson.ParseBytes(value).String())
			}
		}
	}
	return b.String()
}

func writeDetails(details []detail) string {
	b := []byte{'['}
	for i, d := range details {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		for j, m := range d {
			if j > 0 {
				b = append(b, ',')
			}
			b = append(append(b, quoted(m.name)...), ':')
			b = append(b, m.value...)
		}
		b = append(b, '}')
	}
	return string(append(b, ']'))
}

// quoted returns a text as JSON.
func quoted(text string) []byte {
	b, _ := json.Marshal(text) // every string can be JSON
	return b
}
