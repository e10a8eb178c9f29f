package harness

import (
	"errors"
	"os"

	"github.com/graphgen/graphgen/scenario/wire"
)

// errorOf returns an error of the script. Its methods panic where the environment names one of them.
func errorOf(text string) error {
	switch method := os.Getenv(wire.BrokenVariable); method {
	case "":
		return errors.New(text)
	case "nil":
		return (*broken)(nil)
	default:
		return &broken{text, method}
	}
}

// A broken is an error of which a method panics.
type broken struct{ text, method string }

func (b *broken) panics(method string) {
	if b.method == method {
		panic("in " + method)
	}
}

func (b *broken) Error() string {
	b.panics("Error")
	return b.text
}

func (b *broken) Is(error) bool {
	b.panics("Is")
	return false
}

func (b *broken) As(any) bool {
	b.panics("As")
	return false
}

func (b *broken) Unwrap() error {
	b.panics("Unwrap")
	return nil
}
