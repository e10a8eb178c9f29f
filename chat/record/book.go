package record

import (
	"bytes"
	"slices"

	"github.com/graphgen/graphgen/chat"
)

// A book holds once what the requests of a run have in common: their settings, and their
// conversations as a tree.
type book struct {
	settings []chat.Request // without purpose and messages; the first is number 1
	start    turn           // what conversations begin after
	turns    []*turn        // all others; the first is number 1
}

// A turn is a message in the place that it has in a conversation.
type turn struct {
	number  int
	before  *turn
	message chat.Message
	next    []*turn
}

// after returns the message in the place after t, nil if the book does not have it there.
func (t *turn) after(m *chat.Message) *turn {
	for _, next := range t.next {
		if sameMessage(&next.message, m) {
			return next
		}
	}
	return nil
}

// add puts a message after another one.
func (b *book) add(before *turn, m chat.Message) *turn {
	t := &turn{number: len(b.turns) + 1, before: before, message: m}
	before.next = append(before.next, t)
	b.turns = append(b.turns, t)
	return t
}

// at returns the turn of that number, 0 being the start, and nil if it does not exist.
func (b *book) at(number int) *turn {
	switch {
	case number == 0:
		return &b.start
	case number > 0 && number <= len(b.turns):
		return b.turns[number-1]
	}
	return nil
}

// follow goes along a conversation as far as the book has it. It returns where it got to,
// and how many messages that is.
func (b *book) follow(messages []chat.Message) (*turn, int) {
	at := &b.start
	for i := range messages {
		next := at.after(&messages[i])
		if next == nil {
			return at, i
		}
		at = next
	}
	return at, len(messages)
}

// conversation returns the messages up to the turn.
func (t *turn) conversation() []chat.Message {
	var all []chat.Message
	for ; t.number > 0; t = t.before {
		all = append(all, t.message)
	}
	slices.Reverse(all)
	return all
}

// find returns the number of the settings of a request, 0 if the book does not have them.
func (b *book) find(r *chat.Request) int {
	return 1 + slices.IndexFunc(b.settings, func(s chat.Request) bool { return sameSettings(&s, r) })
}

// keep adds the settings of a request.
func (b *book) keep(r *chat.Request) int {
	b.settings = append(b.settings, settingsOf(r))
	return len(b.settings)
}

// settingsOf returns a copy of the request that shares nothing which may be changed.
func settingsOf(r *chat.Request) chat.Request {
	s := *r
	s.Purpose, s.Messages = "", nil
	s.Tools = slices.Clone(r.Tools)
	s.Output = copied(r.Output)
	s.Temperature = copied(r.Temperature)
	return s
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func sameSettings(a, b *chat.Request) bool {
	return a.Model == b.Model && a.System == b.System && slices.EqualFunc(a.Tools, b.Tools, sameTool) && a.Choice == b.Choice &&
		sameOutput(a.Output, b.Output) && same(a.Temperature, b.Temperature) && a.MaxTokens == b.MaxTokens && a.Cache == b.Cache
}

func sameTool(a, b chat.ToolSpec) bool {
	return a.Name == b.Name && a.Doc == b.Doc && compact(a.Schema) == compact(b.Schema)
}

func sameOutput(a, b *chat.Schema) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name && compact(a.JSON) == compact(b.JSON)
}

// compact returns JSON without the spaces between its tokens: the layout of a schema is not part of a request.
func compact(json string) string {
	b := make([]byte, 0, len(json))
	quoted := false
	for i := 0; i < len(json); i++ {
		switch c := json[i]; {
		case quoted && c == '\\' && i+1 < len(json):
			b = append(b, c, json[i+1])
			i++
		case c == '"':
			quoted = !quoted
			b = append(b, c)
		case quoted || c != ' ' && c != '\n' && c != '\r' && c != '\t':
			b = append(b, c)
		}
	}
	return string(b)
}

func same[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func sameMessage(a, b *chat.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Call == b.Call && a.Name == b.Name && a.Failed == b.Failed &&
		slices.Equal(a.Calls, b.Calls) && slices.Equal(a.Reasoning, b.Reasoning) && slices.EqualFunc(a.Media, b.Media, sameMedia)
}

func sameMedia(a, b chat.Media) bool {
	return a.Type == b.Type && a.URL == b.URL && a.Name == b.Name && bytes.Equal(a.Data, b.Data)
}
