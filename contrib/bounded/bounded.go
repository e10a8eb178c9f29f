// Package bounded keeps what a provider reads of a server within bounds. A server may send
// without end, pack gigabytes into a few kilobytes, or nest a text so deep that a decoder's
// stack overflows.
//
//	client := bounded.Client(http.DefaultClient)
//
// Package providertest tests that a provider keeps these bounds.
package bounded

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/jsonscan"
)

// The bounds of an answer. Bytes are counted after decompression.
const (
	// Answer is the size of an answer in bytes: several times what the longest one has when it is
	// streamed in the smallest pieces.
	Answer = 128 << 20
	// Error is the size of an answer whose status is not a success, in bytes. The rest is not read.
	Error = 1 << 20
	// Text is the size of one JSON text in bytes: an answer that is not streamed, or an event. To decode
	// one takes several times as much memory, and does not end with a context.
	Text = 32 << 20
	// Values is the number of values in one JSON text. A model writes a token for each of them.
	Values = 1 << 17
	// Depth is how deep the values of a JSON text may be nested.
	Depth = 500
	// Calls is the number of tool calls in one answer.
	Calls = 1000
	// Excerpt is how many bytes of a server's text an error shows.
	Excerpt = 500
)

// Client returns a copy of a client that bounds the bodies of all answers; nil is a client without
// a timeout. A body that is too long ends in a *chat.ModelError of kind Malformed; the body of an answer whose
// status is not a success is cut. Reading a body ends with the context of its request.
func Client(c *http.Client) *http.Client {
	bounded := &http.Client{}
	if c != nil {
		*bounded = *c
	}
	bounded.Transport = Transport(bounded.Transport)
	return bounded
}

// Transport returns a transport that bounds the bodies of all answers, like Client; nil is
// http.DefaultTransport.
func Transport(base http.RoundTripper) http.RoundTripper { return transport{base} }

type transport struct{ base http.RoundTripper }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}
	res, err := base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	b := &body{Closer: res.Body, text: bufio.NewReaderSize(res.Body, 16), ctx: req.Context(), left: Answer}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		b.left, b.end = Error, io.EOF
	} else {
		b.end = &chat.ModelError{Kind: chat.Malformed, Message: fmt.Sprintf("it is longer than %d MiB", Answer>>20)}
	}
	res.Body = b
	return res, nil
}

// A body ends with an error where it is longer than it may be, or its context has ended. It leaves out a byte order mark.
type body struct {
	io.Closer
	text  *bufio.Reader
	begun bool
	ctx   context.Context
	left  int   // bytes
	end   error // where they are used up
}

const byteOrderMark = "\uFEFF"

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.left < 0 {
		return 0, b.end
	}
	if !b.begun {
		b.begun = true
		if mark, _ := b.text.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
			_, _ = b.text.Discard(len(mark))
		}
	}
	// One byte more than there may be shows that the body is too long.
	n, err := b.text.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return n - 1, b.end
	}
	return n, err
}

// JSON returns a JSON text as a decoder may read it: bytes that are no UTF-8 are replaced. It returns a
// *chat.ModelError of kind Malformed for a text that has more than Text bytes or Values values, or is nested deeper than
// Depth, and does not report what else is wrong with it.
func JSON(text []byte) ([]byte, error) {
	if len(text) > Text {
		return nil, &chat.ModelError{Kind: chat.Malformed, Message: fmt.Sprintf("one JSON text of it is longer than %d MiB", Text>>20)}
	}
	var s jsonscan.Scanner
	values := 0
	for _, c := range text {
		if mark := s.Next(c); mark == jsonscan.Open || mark == jsonscan.Comma {
			values++
		}
		if s.Depth > Depth {
			return nil, &chat.ModelError{Kind: chat.Malformed, Message: fmt.Sprintf("its values are nested deeper than %d", Depth)}
		}
		if values > Values {
			return nil, &chat.ModelError{Kind: chat.Malformed, Message: fmt.Sprintf("it has more than %d values", Values)}
		}
	}
	return bytes.ToValidUTF8(text, []byte("\uFFFD")), nil
}

// TooManyCalls returns the error of an answer that has more than Calls tool calls.
func TooManyCalls() error {
	return &chat.ModelError{Kind: chat.Malformed, Message: fmt.Sprintf("it has more than %d tool calls", Calls)}
}

// mostTokens is more than any call has. Several of them add up in 32 bits.
const mostTokens = 1 << 28

// Tokens returns a number of tokens that a server has counted. A negative number, which would make up for
// tokens of other calls, is 0, and a larger one than a call can have is cut.
func Tokens(n int64) int { return int(min(max(n, 0), mostTokens)) }

// shortestSecret is the length from which a text may be a secret, in bytes.
const shortestSecret = 8

// Secrets returns the texts that errors must not have, of the keys of a server and the values of its headers. Shorter ones than 8 bytes
// are left out: they are words such as "none" and "true", without which errors could not be read, nor their kinds be known.
func Secrets(texts ...string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return len(text) < shortestSecret })
}

// Clip returns the first Excerpt bytes of a text, for an error. Secrets have to be redacted before.
func Clip(text string) string {
	if len(text) <= Excerpt {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	return strings.ToValidUTF8(text[:Excerpt], "") + " …"
}
