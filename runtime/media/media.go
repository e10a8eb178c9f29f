// Package media has the JSON and the limits of images, PDFs and audio, for generated code. The kinds are
// types of package chat.
//
// In JSON media is an object: its type, its bytes in base64 under data or its address under url, and
// perhaps its name.
//
//	{"type":"image/png","data":"iVBORw0KGgo=","name":"otter.png"}
//	{"type":"image/png","url":"https://example.com/otter.png"}
package media

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/runtime/codec"
)

// A Kind is one of the kinds of media.
type Kind interface {
	chat.Image | chat.PDF | chat.Audio
	IsZero() bool
	Media() chat.Media
}

// Limits are the limits of a field. The zero value has only the limits of the kind.
type Limits[T Kind] struct {
	Bytes int      // at most; 0: any number. What is at a URL has no size
	Types []string // MIME; empty: all of the kind
}

// Check returns a *codec.Error if the media is not of its kind, or not within the limits: it has neither
// bytes nor a URL, or both; its type is of another kind; it has too many bytes.
func (l *Limits[T]) Check(v T) error {
	if wrong := l.wrong(v); wrong != "" {
		return &codec.Error{Message: wrong}
	}
	return nil
}

// Check checks media without limits.
func Check[T Kind](v T) error { return new(Limits[T]).Check(v) }

// wrong returns what is wrong with the media, empty if nothing is.
func (l *Limits[T]) wrong(v T) string {
	m, kind := v.Media(), kindOf(v)
	switch {
	case v.IsZero():
		return "there is no " + kind.word + ": it has neither data nor a url"
	case m.URL != "" && len(m.Data) > 0:
		return "the " + kind.word + " has data and a url: want one of them"
	case len(m.URL) >= 5 && strings.EqualFold(m.URL[:5], "data:"):
		return "the url of the " + kind.word + " holds the bytes: want them as data"
	case !strings.HasPrefix(m.Type, kind.begin) || len(m.Type) == len(kind.begin) && m.Type != chat.TypePDF:
		return "the type of the " + kind.word + " is " + shown(m.Type) + ", want " + kind.want
	case kind.begin == chat.TypePDF && m.Type != chat.TypePDF:
		return "the type of the " + kind.word + " is " + shown(m.Type) + ", want " + kind.want
	case len(l.Types) > 0 && !slices.Contains(l.Types, m.Type):
		return "the type of the " + kind.word + " is " + shown(m.Type) + ", want " + strings.Join(l.Types, " or ")
	case l.Bytes > 0 && len(m.Data) > l.Bytes:
		return "the " + kind.word + " has " + strconv.Itoa(len(m.Data)) + " bytes, want at most " + strconv.Itoa(l.Bytes)
	}
	return ""
}

// shown returns a type for an error, which may come from outside.
func shown(kind string) string {
	const most = 60
	if len(kind) > most {
		return quote.Text(strings.ToValidUTF8(kind[:most], "")) + "…"
	}
	return quote.Text(kind)
}

// A kind describes a kind of media.
type kind struct {
	word  string
	begin string // of its types
	want  string
}

func kindOf[T Kind](v T) kind {
	switch any(v).(type) {
	case chat.PDF:
		return kind{"PDF", chat.TypePDF, chat.TypePDF}
	case chat.Audio:
		return kind{"audio", "audio/", "one such as audio/mpeg"}
	}
	return kind{"image", "image/", "one such as image/png"}
}

// The members that a document has instead of the bytes: the number of the media that is attached, and
// how many bytes it has.
const (
	attachment = "attachment"
	bytes      = "bytes"
)

var members = codec.Members{
	Type: "media", Names: []string{"type", "data", "url", "name", attachment, bytes}, Partial: true,
}

// Read reads media without limits.
func Read[T Kind](v *T, d *codec.Decoder) { new(Limits[T]).Read(v, d) }

// Write writes media without limits. None is an error, as an enum is that is not set.
func Write[T Kind](v T, e *codec.Encoder) { new(Limits[T]).Write(v, e) }

// Read reads media within the limits.
func (l *Limits[T]) Read(v *T, d *codec.Decoder) {
	var m chat.Media
	var number, size int
	o := codec.ReadObject(d, &members)
	for o.Next() {
		switch o.Name {
		case "type":
			codec.ReadString(&m.Type, d)
		case "data":
			codec.ReadBytes(&m.Data, d)
		case "url":
			codec.ReadString(&m.URL, d)
		case "name":
			codec.ReadString(&m.Name, d)
		case attachment:
			codec.ReadInt(&number, d)
		case bytes:
			codec.ReadInt(&size, d)
		}
	}
	if number > 0 || size > 0 {
		kept, ok := d.Attached(number).(chat.Media)
		if !ok || kept.Type != m.Type {
			d.Fail("there is no media beside the document: want it as data or url")
			return
		}
		m = kept
	}
	*v = T(m)
	if wrong := l.wrong(*v); wrong != "" {
		d.Fail(wrong)
	}
}

// Write writes media within the limits.
func (l *Limits[T]) Write(v T, e *codec.Encoder) {
	if wrong := l.wrong(v); wrong != "" {
		e.Fail(wrong)
		return
	}
	if !e.Begin() {
		return
	}
	m := v.Media()
	codec.WriteString(m.Type, e.Name("type"))
	switch number, apart := e.Attach(m); {
	case number > 0:
		codec.WriteInt(number, e.Name(attachment))
	case apart && m.URL == "":
		codec.WriteInt(len(m.Data), e.Name(bytes))
	case m.URL != "":
		codec.WriteString(m.URL, e.Name("url"))
	default:
		codec.WriteBytes(m.Data, e.Name("data"))
	}
	if m.Name != "" {
		codec.WriteString(m.Name, e.Name("name"))
	}
	e.End()
}

// Optional checks a value, if there is one.
func Optional[T any](v *T, check func(T) error) error {
	if v == nil {
		return nil
	}
	return check(*v)
}

// List checks each element. An error has the index in its path.
func List[T any](list []T, check func(T) error) error {
	for i := range list {
		if err := check(list[i]); err != nil {
			return In("["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

// Map checks each value. An error has the key in its path.
func Map[T any](m map[string]T, check func(T) error) error {
	for key := range m {
		if err := check(m[key]); err != nil {
			return In("["+shown(key)+"]", err)
		}
	}
	return nil
}

// In returns the error of what is at that place of a value: a field, an index, a key. It is nil for nil.
func In(place string, err error) error {
	wrong, ok := err.(*codec.Error)
	if !ok {
		return err
	}
	in := *wrong
	switch {
	case in.Path == "" || in.Path[0] == '[':
		in.Path = place + in.Path
	default:
		in.Path = place + "." + in.Path
	}
	return &in
}

// InPrivate is In for a private field: the error has nothing of its value.
func InPrivate(place string, err error) error {
	if _, ok := err.(*codec.Error); !ok {
		return err
	}
	return &codec.Error{Path: place, Message: "the value, which is private and not shown here, is not one that the field takes"}
}
