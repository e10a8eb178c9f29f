package pipeline

import (
	"strconv"

	"github.com/graphgen/graphgen/chat"
)

// A cutError reports that an answer is incomplete.
type cutError struct{}

func (*cutError) Error() string { return "the answer was cut off before its end" }

// A callsError reports that a model without tools calls one.
type callsError struct{}

func (*callsError) Error() string { return "the model calls tools that there are not" }

// A crowdError reports that a model calls more tools in one turn than it may.
type crowdError struct{ calls, most int }

func (e *crowdError) Error() string {
	return "the answer calls " + strconv.Itoa(e.calls) + " tools at once, more than " + strconv.Itoa(e.most)
}

// A lostError reports that a model asks for tools and names none: the calls were lost in transit.
type lostError struct{}

func (*lostError) Error() string { return "the model asks for tools, and names none" }

func malformed(resp *chat.Response, wrong error) error {
	switch wrong.(type) {
	case *cutError, *callsError, *crowdError, *lostError:
		return &chat.ModelError{Kind: chat.Malformed, Message: wrong.Error(), Text: resp.Message.Text}
	}
	return &chat.ModelError{Kind: chat.Malformed, Text: resp.Message.Text, Err: wrong}
}

// complaint returns the message that asks a model to correct its answer.
func complaint(wrong error) string {
	switch wrong := wrong.(type) {
	case *crowdError:
		return "The answer calls " + count(wrong.calls, "tool") + " at once. Answer again, with " + strconv.Itoa(wrong.most) + " calls at most."
	case *cutError:
		return "The answer was cut off before its end. Answer again, in fewer words."
	case *callsError:
		return "There are no tools to call. Answer again, without."
	case *lostError:
		return "The answer is empty, and calls no tool. Answer again."
	}
	return "The answer does not fit: " + wrong.Error() + ". Answer again, with the JSON alone."
}
