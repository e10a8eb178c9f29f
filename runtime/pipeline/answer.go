package pipeline

import (
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/extract"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// An Answer is a model's answer before it is decoded.
type Answer struct {
	Text     string // filters may change it
	Response *chat.Response
	Run      *engine.Run

	model chat.Model
}

// decode reads an answer that is to be a JSON object: clean, in a fenced block, or within
// prose.
func decode(text string, out codec.Unmarshaler) error {
	return extract.JSON(text, extract.Object, func(json string) error { return codec.UnmarshalString(json, out) })
}
