package harness

import (
	"reflect"
	"strconv"

	"github.com/graphgen/graphgen/chat"
)

// blanks are the media that a value has where a scenario gives none: a graph refuses media without bytes.
var blanks = map[reflect.Type]reflect.Value{
	reflect.TypeFor[chat.Image](): reflect.ValueOf(chat.Image{Type: "image/png", Data: []byte{0}}),
	reflect.TypeFor[chat.PDF]():   reflect.ValueOf(chat.PDF{Type: chat.TypePDF, Data: []byte{0}}),
	reflect.TypeFor[chat.Audio](): reflect.ValueOf(chat.Audio{Type: "audio/mpeg", Data: []byte{0}}),
}

// fillMedia puts media of one byte where a value has none: itself, and in its fields.
func fillMedia(v reflect.Value) {
	if blank, ok := blanks[v.Type()]; ok {
		if v.IsZero() {
			v.Set(blank)
		}
		return
	}
	if v.Kind() != reflect.Struct || v.Type() == instantType {
		return
	}
	for i := range v.NumField() {
		if f := v.Field(i); f.CanSet() {
			fillMedia(f)
		}
	}
}

// mediaText describes media of a message, without its bytes.
func mediaText(m *chat.Media) string {
	text := "[" + m.Type
	if m.Name != "" {
		text += ", " + m.Name
	}
	if m.URL != "" {
		return text + ", " + m.URL + "]"
	}
	return text + ", " + strconv.Itoa(len(m.Data)) + " bytes]"
}
