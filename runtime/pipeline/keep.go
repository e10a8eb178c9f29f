package pipeline

import (
	"slices"

	"github.com/graphgen/graphgen/chat"
)

// Keep adds the messages of a Transcript whose turn is over, so that later nodes see them. It
// omits refused or invalid answers and the replies to them, and all of a node that was not
// executed because its output is in the cache.
func (c *Conversation) Keep(tr *Transcript) {
	if tr.turn.looping || tr.run == nil || tr.run.Execution().Cached { // no process of the thread but an earlier one has asked
		return
	}
	if !tr.node.Apart {
		c.add(tr)
	}
	switch {
	case tr.Called():
		c.pending = &pending{
			calls: tr.turn.calls, transcript: tr, said: tr.messages.list, after: len(c.messages), injected: tr.session.injected,
			by: int(tr.request.meter.call),
		}
	case c.pending != nil && c.pending.transcript == tr:
		c.pending = nil
	}
	if tr.node.Appends && !tr.Called() {
		tr.past.repliedTo = ""
		c.addition = addition{tr.node.Continues, tr.addition(tr.messages.list)}
	}
}

func (c *Conversation) add(tr *Transcript) {
	switch from := tr.messages.shown; {
	case tr.messages.whole && len(tr.messages.refused) == 0:
		c.messages = tr.messages.list // they continue where these end
	default:
		for _, v := range tr.messages.refused {
			c.messages = append(c.messages, tr.messages.list[from:v.from]...)
			from = v.to
		}
		c.messages = append(c.messages, tr.messages.list[from:]...)
	}
	if c.passages == nil {
		c.passages = c.first[:0]
	}
	c.passages = append(c.passages, passage{end: len(c.messages), node: tr.node.Name, voice: modelID{tr.node.Model, tr.node.Light}})
	if !tr.Called() {
		c.closed = len(c.messages)
	}
}

// answer inserts the results of calls after them.
func (c *Conversation) answer(p *pending, results []chat.Message) {
	c.pending = nil
	if d := p.transcript; d.node.Appends {
		d.past.repliedTo = results[len(results)-1].Call
		c.addition = addition{d.node.Continues, d.addition(slices.Concat(p.said, results))}
	}
	if n := p.transcript.node; n.Apart || c.scope(n).none {
		p.transcript.past.thread = slices.Concat(p.said, results)
	}
	if p.transcript.node.Apart {
		return
	}
	c.messages = slices.Insert(slices.Clip(c.messages), p.after, results...)
	for i := range c.passages {
		if c.passages[i].end >= p.after {
			c.passages[i].end += len(results)
		}
	}
}
