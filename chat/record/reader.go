package record

import (
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/chatjson"
	"github.com/graphgen/graphgen/runtime/codec"
)

// Open reads a recording, to be played. The error names the line: one that is not a
// line of a recording, that is out of its order or refers to what is not there, or the last
// one of a recording that has no end.
func Open(data []byte) (*Player, error) {
	r := reader{
		player: &Player{models: map[modelKey][]*entry{}, tools: map[toolKey][]*entry{}, lists: map[string][]*entry{}},
		unique: map[place]int{},
		known:  map[[sha256.Size]byte]bool{},
	}
	text := string(data)
	for text != "" {
		var l string
		l, text, _ = strings.Cut(text, "\n")
		r.lines++
		if err := r.line(l); err != nil {
			return nil, &lineError{r.lines, err}
		}
	}
	switch {
	case r.lines == 0:
		return nil, &lineError{1, mistake("the file is empty")}
	case !r.ended:
		return nil, &lineError{r.lines, mistake("the recording is cut short: it has no end")}
	}
	return r.player, nil
}

// A reader reads the lines of a recording.
type reader struct {
	player *Player
	lines  int
	ended  bool
	unique map[place]int              // the messages, by what they are and where
	known  map[[sha256.Size]byte]bool // the settings
}

// A place is what no two messages of a recording share.
type place struct {
	before int
	digest [sha256.Size]byte
}

func (r *reader) line(text string) error {
	var l line
	if err := codec.UnmarshalString(text, codec.Into(&l, decodeLine)); err != nil {
		return err
	}
	if h, is := l.(header); is != (r.lines == 1) {
		return mistake("a recording begins with one line of the kind recording")
	} else if is && h.version != Version {
		return mistake("it is of version " + strconv.Itoa(h.version) + ", want " + strconv.Itoa(Version))
	}
	if r.ended {
		return mistake("it is after the end")
	}
	switch l := l.(type) {
	case settings:
		return r.settings(l)
	case message:
		_, err := r.message(l.n, l.after, l.message)
		return err
	case *modelCall:
		return r.model(l)
	case *toolCall:
		key := toolKey{l.by, l.name, l.arguments}
		e := &entry{kind: "tool", name: l.name, by: l.by, tool: l}
		r.player.tools[key] = append(r.player.tools[key], e)
		return r.call(e, l.n)
	case *toolList:
		if l.failure.Panics() {
			return mistake("a toolbox does not panic")
		}
		e := &entry{kind: "tools", by: l.by, list: l}
		r.player.lists[l.by] = append(r.player.lists[l.by], e)
		return r.call(e, l.n)
	case end:
		r.ended = true
		return numberedAs("the number of calls", l.calls, len(r.player.entries))
	}
	return nil
}

// numberedAs holds a number to be what it must be.
func numberedAs(what string, n, want int) error {
	if n != want {
		return mistake(what + " is " + strconv.Itoa(n) + ", want " + strconv.Itoa(want))
	}
	return nil
}

func (r *reader) settings(l settings) error {
	b := &r.player.book
	if t := l.request.Temperature; t != nil && *t == 0 {
		*t = 0 // and not -0
	}
	data, err := codec.MarshalStruct(&settings{request: l.request})
	if err != nil {
		return err
	}
	digest := sha256.Sum256(data)
	if r.known[digest] {
		return mistake("the settings are there already")
	}
	r.known[digest] = true
	b.settings = append(b.settings, l.request)
	return numberedAs("the number of the settings", l.n, len(b.settings))
}

// message adds a message that is not there yet.
func (r *reader) message(n, after int, m chat.Message) (*turn, error) {
	b := &r.player.book
	if err := numberedAs("the number of the message", n, len(b.turns)+1); err != nil {
		return nil, err
	}
	before := b.at(after)
	if before == nil {
		return nil, mistake("there is no message " + strconv.Itoa(after))
	}
	key, err := placed(after, m)
	if err != nil {
		return nil, err
	}
	if known := r.unique[key]; known > 0 {
		return nil, mistake("the message is the same as message " + strconv.Itoa(known))
	}
	r.unique[key] = n
	return b.add(before, m), nil
}

func placed(after int, m chat.Message) (place, error) {
	data, err := codec.Marshal(codec.Of(m, chatjson.EncodeMessage))
	return place{after, sha256.Sum256(data)}, err
}

func (r *reader) model(l *modelCall) error {
	b := &r.player.book
	at := b.at(l.messages)
	switch {
	case at == nil:
		return mistake("there is no message " + strconv.Itoa(l.messages))
	case l.failure.Panics():
		return mistake("a model does not panic")
	case l.settings < 1 || l.settings > len(b.settings):
		return mistake("there are no settings " + strconv.Itoa(l.settings))
	}
	if l.response != nil {
		if err := r.answer(at.number, l.response); err != nil {
			return err
		}
	}
	key := modelKey{l.by, l.purpose, l.settings, at}
	e := &entry{kind: "model", name: string(l.purpose), by: l.by, model: l, at: at}
	r.player.models[key] = append(r.player.models[key], e)
	return r.call(e, l.n)
}

// answer adds the message of a response, unless it is there already.
func (r *reader) answer(after int, a *response) error {
	if a.as > len(r.player.book.turns) {
		_, err := r.message(a.as, after, a.Message)
		return err
	}
	key, err := placed(after, a.Message)
	if err != nil {
		return err
	}
	if r.unique[key] != a.as || a.as == 0 {
		return mistake("the response is not message " + strconv.Itoa(a.as))
	}
	return nil
}

func (r *reader) call(e *entry, n int) error {
	e.number = len(r.player.entries) + 1
	r.player.entries = append(r.player.entries, e)
	return numberedAs("the number of the call", n, e.number)
}
