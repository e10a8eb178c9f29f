package engine

import (
	"errors"
	"time"

	"github.com/graphgen/graphgen"
)

// ErrVisitsExhausted is passed to Fail when the visits of a node are used up. Users see a
// LimitError.
var ErrVisitsExhausted = errors.New("visits exhausted")

// Late returns the error of a node, a run or a tool that took longer than its timeout.
func Late(of string, limit time.Duration) *graphgen.LimitError {
	return &graphgen.LimitError{Limit: graphgen.LimitTimeout, Of: of, Max: limit.Seconds()}
}

// CheckChoice returns an InvalidChoiceError unless low ≤ value ≤ high.
func CheckChoice(what string, value, low, high int) error {
	if value < low || value > high {
		return &graphgen.InvalidChoiceError{What: what, Value: value}
	}
	return nil
}
