package engine

import (
	"errors"

	"github.com/graphgen/graphgen"
)

// ErrVisitsExhausted is passed to Fail when the visits of a node are used up. Users see a
// LimitError.
var ErrVisitsExhausted = errors.New("visits exhausted")

// CheckChoice returns an InvalidChoiceError unless low ≤ value ≤ high.
func CheckChoice(what string, value, low, high int) error {
	if value < low || value > high {
		return &graphgen.InvalidChoiceError{What: what, Value: value}
	}
	return nil
}
