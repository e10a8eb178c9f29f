package pipeline

import (
	"bytes"
	"slices"
	"strconv"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/internal/engine"
)

// A Prompt is the prompt of one turn: generated code writes it, processors may change it
// before it is sent.
type Prompt struct {
	System Text // instructions
	User   Text // what the node reads, and other messages to it
	Reads  []Read
	Media  []chat.Media // of the user's message; what is read refers to each by its number, from 1
	Run    *engine.Run

	model  chat.Model
	blocks []block
	lacks  []string // fields without a value of which there is no Read
	err    error
}

// A Read is a field of the state that the node is shown.
type Read struct {
	Name string
	Text string // strings as they are, the rest as JSON
	JSON bool
}

// A block is a part of the system prompt that may be left out.
type block struct {
	name     string
	priority int
	start    int // in the system prompt, unless a processor has changed that
	text     string
}

// Block marks the text since start as a part of the system prompt that may be left out if it is
// too long.
func (p *Prompt) Block(name string, priority, start int) {
	p.blocks = append(p.blocks, block{name, priority, start, string(p.System[start:])})
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

// fit removes blocks until the system prompt and the bytes behind it have at most budget tokens:
// the least important first, of equals the last. It reports each removed block.
func (p *Prompt) fit(budget, behind int) {
	if budget <= 0 || len(p.blocks) == 0 {
		return
	}
	left := slices.Clone(p.blocks)
	for len(left) > 0 && tokens(len(p.System)+behind) > budget {
		at := 0 // blocks are few: a sort of them would weigh more in a program than all else here
		for i := range left {
			if left[i].priority <= left[at].priority {
				at = i
			}
		}
		b := left[at]
		left = slices.Delete(left, at, at+1)
		start := p.find(b)
		if start < 0 {
			continue // a processor has taken it out
		}
		p.System = slices.Delete(p.System, start, start+len(b.text))
		for i := at; i < len(left); i++ {
			left[i].start -= len(b.text)
		}
		if p.Run.Observed() {
			p.Run.Tell(graphrt.Event{Kind: graphrt.Progress, Reason: "block " + b.name + " is left out: the prompt has no room for it within " + strconv.Itoa(budget) + " tokens"})
		}
	}
}

// find returns the position of a block in the system prompt, -1 if it is no longer there.
func (p *Prompt) find(b block) int {
	if b.start < len(p.System) && bytes.HasPrefix(p.System[b.start:], []byte(b.text)) {
		return b.start
	}
	return bytes.Index(p.System, []byte(b.text))
}

// message is the user's message of the prompt: what is read, under its names, and what
// else was written. A text that is all there is needs no name.
func (p *Prompt) message() string {
	if len(p.Reads) == 1 && len(p.User) == 0 && !p.Reads[0].JSON && p.Reads[0].Text != "" {
		return p.Reads[0].Text
	}
	var b Text
	for _, r := range p.Reads {
		b.String("# ").String(r.Name).String("\n\n").String(r.Text).String("\n\n")
	}
	b = append(b, p.User...)
	if len(b) == 0 {
		return "Go on."
	}
	return string(trimEnd(b))
}

func trimEnd(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == '\n' {
		b = b[:len(b)-1]
	}
	return b
}

// Text is a text that is being written.
type Text []byte

// String writes s as it is.
func (t *Text) String(s string) *Text {
	*t = append(*t, s...)
	return t
}

// Int writes a number in decimal.
func (t *Text) Int(n int) *Text {
	*t = strconv.AppendInt(*t, int64(n), 10)
	return t
}

// Float writes a number in decimal, as short as it can be.
func (t *Text) Float(f float64) *Text {
	*t = strconv.AppendFloat(*t, f, 'g', -1, 64)
	return t
}

// Bool writes true or false.
func (t *Text) Bool(b bool) *Text {
	*t = strconv.AppendBool(*t, b)
	return t
}

// JSON writes a value as JSON into the system prompt.
func (p *Prompt) JSON(v codec.Marshaler) {
	data, err := codec.AppendBrief(p.System, v)
	if err != nil {
		if p.err == nil {
			p.err = err
		}
		return
	}
	p.System = data
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
