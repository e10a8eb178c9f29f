package pipeline

import (
	"slices"
	"strconv"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Prompt is the prompt of one turn: generated code writes it, processors may change it
// before it is sent.
type Prompt struct {
	System Text // instructions
	User   Text // what the node reads and is told
	Reads  []Read
	Run    *graphrt.Run

	model  chat.Model
	blocks []block
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
	start    int // in the system prompt
	end      int
}

// Block ends a part of the system prompt that may be left out for want of room: what was
// written since start.
func (p *Prompt) Block(name string, priority, start int) {
	p.blocks = append(p.blocks, block{name, priority, start, len(p.System)})
}

// Show shows a text that the node reads.
func (p *Prompt) Show(name, text string) {
	p.Reads = append(p.Reads, Read{Name: name, Text: text})
}

// ShowJSON shows a value that the node reads.
func (p *Prompt) ShowJSON(name string, v codec.Marshaler) {
	data, err := codec.Marshal(v)
	if err != nil && p.err == nil {
		p.err = err
	}
	p.Reads = append(p.Reads, Read{name, string(data), true})
}

// Inherit shows the last output of a node, if it has run.
func (p *Prompt) Inherit(results *Results, node string) {
	for _, res := range slices.Backward(results.list) {
		if res.node == node {
			text, err := res.shown()
			if err != nil && p.err == nil {
				p.err = err
			}
			p.Reads = append(p.Reads, Read{"output of " + node, text, res.value != nil})
			return
		}
	}
}

// fit leaves blocks out until the system prompt has no more than that many tokens, the
// least important first, of equals the last, and tells of it.
func (p *Prompt) fit(budget int) {
	if budget <= 0 || len(p.blocks) == 0 {
		return
	}
	left := slices.Clone(p.blocks)
	for len(left) > 0 && tokens(len(p.System)) > budget {
		at := 0 // blocks are few: a sort of them would weigh more in a program than all else here
		for i := range left {
			if left[i].priority <= left[at].priority {
				at = i
			}
		}
		b := left[at]
		p.System = slices.Delete(p.System, b.start, b.end)
		left = slices.Delete(left, at, at+1)
		for i := at; i < len(left); i++ {
			left[i].start -= b.end - b.start
			left[i].end -= b.end - b.start
		}
		if p.Run.Observed() {
			p.Run.Tell(graphrt.Event{Kind: graphrt.Progress, Reason: "block " + b.name + " is left out: the prompt has no room for it within " + strconv.Itoa(budget) + " tokens"})
		}
	}
}

// message is the user's message of the prompt: what is read, under its names, and what
// else was written. A text that is all there is needs no name.
func (p *Prompt) message() string {
	if len(p.Reads) == 1 && len(p.User) == 0 && !p.Reads[0].JSON {
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
	data, err := codec.Append(p.System, v)
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
	bytes := 0
	for i := range messages {
		bytes += len(messages[i].Text)
		for _, c := range messages[i].Calls {
			bytes += len(c.Name) + len(c.Arguments)
		}
	}
	return tokens(bytes) + 4*len(messages)
}
