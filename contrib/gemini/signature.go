package gemini

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/genai"

	"github.com/graphgen/graphgen/chat"
)

// ours begins what is opaque and of this package: conversations go from one provider to
// another, and signatures of others are not the API's.
const ours = "gemini:"

// opaque is a signature as chat carries it.
func opaque(signature []byte) string {
	if len(signature) == 0 {
		return ""
	}
	return ours + base64.StdEncoding.EncodeToString(signature)
}

// signature is the signature of what is opaque, if it is ours.
func signature(opaque string) ([]byte, bool) {
	text, ok := strings.CutPrefix(opaque, ours)
	if !ok {
		return nil, false
	}
	s, err := base64.StdEncoding.DecodeString(text)
	return s, err == nil && len(s) > 0
}

// A span is a part of an answer's text that has a signature. Parts with signatures must go
// back unchanged, not joined with others; a message has one text. So a span is recorded as
// hidden reasoning with its position in the text.
type span struct {
	from, to  int // bytes
	signature []byte
}

func (s span) reasoning() chat.Reasoning {
	return chat.Reasoning{
		Hidden: true,
		Opaque: fmt.Sprintf("%stext:%d:%d:%s", ours, s.from, s.to, base64.StdEncoding.EncodeToString(s.signature)),
	}
}

// parseSpan reads what reasoning wrote, and reports whether it did.
func parseSpan(opaque string) (span, bool) {
	text, ok := strings.CutPrefix(opaque, ours+"text:")
	fields := strings.Split(text, ":")
	if !ok || len(fields) != 3 {
		return span{}, false
	}
	from, err1 := strconv.Atoi(fields[0])
	to, err2 := strconv.Atoi(fields[1])
	s, err3 := base64.StdEncoding.DecodeString(fields[2])
	return span{from, to, s}, err1 == nil && err2 == nil && err3 == nil && len(s) > 0
}

// spoken makes the parts of an assistant's message: thoughts that are signed, and the text,
// cut where signatures were. Thoughts without a signature are for readers only. A span outside
// of the text, because the text was changed, is skipped.
func spoken(message *chat.Message) []*genai.Part {
	var parts []*genai.Part
	var spans []span
	for _, r := range message.Reasoning {
		if s, ok := parseSpan(r.Opaque); ok {
			spans = append(spans, s)
		} else if s, ok := signature(r.Opaque); ok {
			parts = append(parts, &genai.Part{Text: r.Text, Thought: true, ThoughtSignature: s})
		}
	}
	text, at := message.Text, 0
	say := func(to int) {
		if to > at {
			parts = append(parts, &genai.Part{Text: text[at:to]})
		}
	}
	for _, s := range spans {
		if s.from < at || s.to < s.from || s.to > len(text) || !between(text, s.from) || !between(text, s.to) {
			continue
		}
		say(s.from)
		parts = append(parts, &genai.Part{Text: text[s.from:s.to], ThoughtSignature: s.signature})
		at = s.to
	}
	say(len(text))
	return parts
}

// between reports whether a place is between two characters of a text.
func between(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }
