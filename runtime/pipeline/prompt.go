package pipeline

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/decimal"
	"github.com/graphgen/graphgen/internal/prompttext"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Prompt is the prompt of one turn: generated code writes it, processors may change it
// before it is sent.
//
// System is the author's text, and the rest is the user's turn: Reads, then Message, then User.
type Prompt struct {
	System  Text         // the instructions, and blocks without placeholders
	Reads   []Read       // shown in fences
	Message Text         // the message, and blocks with placeholders
	User    Text         // the feedback on earlier visits and answers, and what processors add
	Media   []chat.Media // of the user's turn; what is read refers to each by its number, from 1
	Run     *engine.Run

	model  chat.Model
	before []chat.Message // the conversation that the node continues
	blocks []block
	parts  *prompttext.NewParts // texts that replace those of the spec; nil: none do
	lacks  []string             // fields without a value of which there is no Read
	err    error
}

// A Read is a field of the state that the node is shown.
type Read struct {
	Name string
	Text string // strings as they are, the rest as JSON
	JSON bool
}

// A block is a part of the system prompt or of the message that may be left out.
type block struct {
	*Block
	of    *Text
	start int // in the text, unless a processor has changed that
	text  string
}

// Show shows a text that the node reads.
func (p *Prompt) Show(name, text string) {
	p.Reads = append(p.Reads, Read{Name: name, Text: text})
}

// Lack notes that a field which the node reads has no value, for InputValidator.
func (p *Prompt) Lack(name string) { p.lacks = append(p.lacks, name) }

// ShowJSON shows a value that the node reads.
func (p *Prompt) ShowJSON(name string, v codec.Marshaler) {
	data, err := codec.AppendAttached(nil, v, p.attach)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.Reads = append(p.Reads, Read{name, string(data), true})
}

// Inherit shows the last output of a node, if it has run.
func (p *Prompt) Inherit(results *Results, node string) {
	for _, res := range slices.Backward(results.list) {
		if res.node == node {
			text, err := res.shown(p.attach)
			if err != nil && p.err == nil {
				p.err = err
			}
			p.Reads = append(p.Reads, Read{"output of " + node, text, res.value != nil})
			return
		}
	}
}

// FitBlocks removes blocks until the system prompt, the message and the bytes that follow have at most
// budget tokens: the least important first, of equals the last. It reports each removed block.
func FitBlocks(p *Prompt, budget, rest int) {
	left := slices.Clone(p.blocks)
	for len(left) > 0 && tokens(len(p.System)+len(p.Message)+rest) > budget {
		at := 0 // blocks are few: a sort of them would weigh more in a program than all else here
		for i := range left {
			if left[i].Priority <= left[at].Priority {
				at = i
			}
		}
		b := left[at]
		left = append(left[:at], left[at+1:]...)
		start := b.find()
		if start < 0 {
			continue // a processor has taken it out
		}
		*b.of = append((*b.of)[:start], (*b.of)[start+len(b.text):]...)
		for i := at; i < len(left); i++ {
			if left[i].of == b.of {
				left[i].start -= len(b.text)
			}
		}
		p.Run.Agent().DetailOmitted(b.Name)
		if p.Run.Settings().Observed() {
			p.Run.Agent().Progress("block "+b.Name+" is left out: the prompt has no room for it within "+strconv.Itoa(budget)+" tokens", "")
		}
	}
}

// find returns the position of a block in its text, -1 if it was removed.
func (b *block) find() int {
	text := *b.of
	if b.start < len(text) && bytes.HasPrefix(text[b.start:], []byte(b.text)) {
		return b.start
	}
	return strings.Index(string(text), b.text)
}

// message returns the user's turn. Providers require one.
func (p *Prompt) message() string {
	if text := p.text(); text != "" {
		return text
	}
	return neutral
}

// text returns what the prompt has for the user's turn: what is read, each in a fence under its name,
// the message, and what else was written.
func (p *Prompt) text() string {
	if len(p.Reads)+len(p.User) == 0 {
		return string(trim(p.Message))
	}
	size := len(p.Message) + len(p.User) + 2
	for _, r := range p.Reads {
		size += len(r.Name) + len(r.Text) + shortFence
	}
	b := make(Text, 0, size)
	b.reads(p.Reads)
	if text := trim(p.Message); len(text) > 0 {
		b = append(append(b, text...), "\n\n"...)
	}
	b = append(b, p.User...)
	return string(trimEnd(b))
}

// reads writes values, each in a fence under its name.
func (t *Text) reads(list []Read) {
	for _, r := range list {
		t.String(r.Name).String(":\n").fenced(r.Text, r.JSON).String("\n\n")
	}
}

// neutral is the user's turn if there is nothing to show or to say.
const neutral = "Go on."

// shortFence is the most bytes that are around the name and the value of what is read, where its fence is short.
const shortFence = len(":\n```json\n\n```\n\n")

// fenced writes a value between two lines of backticks. They are longer than any run of backticks
// in the value, so that no line of the value ends the fence.
func (t *Text) fenced(value string, json bool) *Text {
	longest, run := 2, 0
	for i := range len(value) {
		if value[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	t.backticks(longest + 1)
	if json {
		t.String("json")
	}
	t.String("\n").String(value).String("\n")
	return t.backticks(longest + 1)
}

func (t *Text) backticks(n int) *Text {
	for range n {
		*t = append(*t, '`')
	}
	return t
}

// trim returns a text without the line breaks around it. Package bytes has that for any characters, which is large.
func trim(b []byte) []byte {
	for len(b) > 0 && b[0] == '\n' {
		b = b[1:]
	}
	return trimEnd(b)
}

func trimEnd(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return b
}

// Text is a text that is being written.
type Text []byte

// String writes s as it is. It is not inlined for the size of programs: most of the pipeline writes texts.
//
//go:noinline
func (t *Text) String(s string) *Text {
	*t = append(*t, s...)
	return t
}

// Int writes a number in decimal.
func (t *Text) Int(n int) *Text {
	*t = strconv.AppendInt(*t, int64(n), 10)
	return t
}

// Float writes a number, as JSON has it.
func (t *Text) Float(f float64) *Text {
	*t = decimal.Append(*t, f)
	return t
}

// Bool writes true or false.
func (t *Text) Bool(b bool) *Text {
	*t = strconv.AppendBool(*t, b)
	return t
}

// count returns a number of things in words.
//
//go:noinline
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// JSON writes a value as JSON into a text of the prompt.
func (p *Prompt) JSON(into *Text, v codec.Marshaler) {
	data, err := codec.AppendBrief(*into, v)
	if err != nil {
		if p.err == nil {
			p.err = err
		}
		return
	}
	*into = data
}

// tokens estimates how many tokens a text of that many bytes has.
func tokens(bytes int) int { return (bytes + 3) / 4 }

// sizeOf estimates the tokens of messages.
func sizeOf(messages []chat.Message) int {
	bytes, media := 0, 0
	for i := range messages {
		bytes += len(messages[i].Text)
		for j := range messages[i].Media {
			media += messages[i].Media[j].Tokens()
		}
		for _, c := range messages[i].Calls {
			bytes += len(c.Name) + len(c.Arguments)
		}
	}
	return tokens(bytes) + media + 4*len(messages)
}
