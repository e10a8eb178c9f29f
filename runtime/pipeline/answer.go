package pipeline

import (
	"context"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/codec"
)

// An Answer is what a model has said, before it is decoded.
type Answer struct {
	Text     string // filters may change it
	Response *chat.Response
	Run      *graphrt.Run
}

// A Filter looks at an answer before it is decoded, and may change its text. An error is
// the failure of the node; graphrt.Reject is none of a filter's.
type Filter func(context.Context, *Answer) error

// decode reads an answer that is to be JSON, whatever stands around it.
func decode(text string, out codec.Unmarshaler) error {
	return codec.UnmarshalString(text, out)
}
