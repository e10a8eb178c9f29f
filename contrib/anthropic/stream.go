package anthropic

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/bounded"
)

// streamed makes an exchange whose answer is streamed.
func (m *Model) streamed(ctx context.Context, params anthropic.MessageNewParams, tell func(chat.Delta)) (*answer, error) {
	var reply *http.Response
	if err := m.client.Post(ctx, path, params, &reply, option.WithJSONSet("stream", true)); err != nil {
		return nil, m.failed(ctx, err)
	}
	defer reply.Body.Close()
	if kind, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type")); kind != "text/event-stream" {
		body, err := io.ReadAll(io.LimitReader(reply.Body, 64<<10))
		if err != nil {
			return nil, m.failed(ctx, err)
		}
		if reply.StatusCode > 299 {
			return nil, m.refused(reply.StatusCode, reply.Header, body)
		}
		if bytes.Contains(body, []byte(`"error"`)) && json.Valid(body) {
			return nil, m.refused(0, reply.Header, body)
		}
		return nil, m.malformed("it is not a stream of events", string(body), nil)
	}
	return m.follow(ctx, ssestream.NewDecoder(reply), reply.Header, tell)
}

// follow reads a stream to its end. The answer beside an error is what came before it, nil if it has not begun.
func (m *Model) follow(ctx context.Context, events ssestream.Decoder, header http.Header, tell func(chat.Delta)) (*answer, error) {
	s := &stream{tell: tell}
	err := m.read(ctx, events, header, s)
	if !s.started {
		return nil, err
	}
	s.usage = counted(s.counts)
	return &s.answer, err
}

// read uses the SDK's decoder of events without its stream of messages, which does not distinguish an
// unreadable answer from a broken connection.
func (m *Model) read(ctx context.Context, events ssestream.Decoder, header http.Header, s *stream) error {
	for events.Next() {
		if ctx.Err() != nil { // of many events that were read together
			return ended(ctx)
		}
		event := events.Event()
		if event.Type == "error" {
			return m.refused(0, header, event.Data)
		}
		if !known[event.Type] {
			continue
		}
		data, err := bounded.JSON(event.Data)
		if err != nil {
			return err
		}
		var e anthropic.MessageStreamEventUnion
		if err := json.Unmarshal(data, &e); err != nil {
			return m.malformed("an event cannot be read", string(event.Data), err)
		}
		e.Type = event.Type
		if err := s.take(&e); err != nil {
			if chat.IsKind(err, chat.Malformed) {
				return err
			}
			return m.malformed("the stream makes no sense", string(event.Data), err)
		}
		if s.stopped {
			return nil
		}
	}
	err := events.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		return m.malformed("an event is too long", "", err)
	case s.complete() && ctx.Err() == nil:
		return nil // the connection was cut in what follows the answer
	}
	err = cmp.Or(err, io.ErrUnexpectedEOF)
	return m.failed(ctx, fmt.Errorf("the stream broke off: %w", err))
}

// known are the events with parts of an answer. Others may occur at any time.
var known = map[string]bool{
	"message_start": true, "message_delta": true, "message_stop": true,
	"content_block_start": true, "content_block_delta": true, "content_block_stop": true,
}

// A stream is an answer that is being received.
type stream struct {
	answer
	tell             func(chat.Delta)
	started, stopped bool
	counts           usage
}

// take adds an event.
func (s *stream) take(e *anthropic.MessageStreamEventUnion) error {
	if s.started == (e.Type == "message_start") {
		return errors.New("the start of the message has to come once, before anything else")
	}
	switch e.Type {
	case "message_start":
		return s.start(&e.Message)
	case "content_block_start":
		return s.begin(e)
	case "content_block_delta":
		return s.grow(e)
	case "content_block_stop":
		if e.Index < 0 || e.Index >= int64(len(s.blocks)) {
			return fmt.Errorf("block %d ends before it begins", e.Index)
		}
		s.blocks[e.Index].ended = true
	case "message_delta":
		s.end(e)
	case "message_stop":
		if s.stop == "" {
			return errors.New("the message stops without a reason")
		}
		s.stopped = true
	}
	return nil
}

// complete reports whether the message has a reason for its end, and all of its blocks have ended.
func (s *stream) complete() bool {
	return s.stop != "" && !slices.ContainsFunc(s.blocks, func(b *block) bool { return !b.ended })
}

func (s *stream) start(m *anthropic.Message) error {
	if m.Type != "message" {
		return errors.New("there is no message in its start")
	}
	s.started, s.id, s.model = true, m.ID, m.Model
	s.counts = usage{
		input: m.Usage.InputTokens, output: m.Usage.OutputTokens,
		read: m.Usage.CacheReadInputTokens, written: m.Usage.CacheCreationInputTokens,
		thought: m.Usage.OutputTokensDetails.ThinkingTokens,
	}
	return nil
}

func (s *stream) begin(e *anthropic.MessageStreamEventUnion) error {
	if e.Index != int64(len(s.blocks)) {
		return fmt.Errorf("block %d begins where block %d has to", e.Index, len(s.blocks))
	}
	from := &e.ContentBlock
	b := &block{kind: from.Type, raw: from.RawJSON(), id: from.ID, name: from.Name}
	if err := s.push(b); err != nil {
		return err
	}
	if b.kind == "tool_use" {
		s.tell(chat.Delta{Tool: b.name, ToolID: b.id})
	}
	b.secret.WriteString(from.Data + from.Signature)
	s.say(b, from.Text+from.Thinking)
	return nil
}

// say adds to the text, or the thought, of a block.
func (s *stream) say(b *block, text string) {
	if text == "" {
		return
	}
	b.text.WriteString(text)
	switch b.kind {
	case "text":
		s.tell(chat.Delta{Text: text})
	case "thinking":
		s.tell(chat.Delta{Reasoning: text})
	}
}

func (s *stream) grow(e *anthropic.MessageStreamEventUnion) error {
	if e.Index < 0 || e.Index >= int64(len(s.blocks)) {
		return fmt.Errorf("block %d continues before it begins", e.Index)
	}
	b := s.blocks[e.Index]
	switch e.Delta.Type {
	case "text_delta":
		s.say(b, e.Delta.Text)
	case "thinking_delta":
		s.say(b, e.Delta.Thinking)
	case "signature_delta":
		b.secret.WriteString(e.Delta.Signature)
	case "input_json_delta":
		b.arguments.WriteString(e.Delta.PartialJSON)
	}
	return nil
}

// end takes why the message ended, and its counts, which are totals; those that
// are absent stay as they began.
func (s *stream) end(e *anthropic.MessageStreamEventUnion) {
	if e.Delta.StopReason != "" {
		s.stop, s.details = e.Delta.StopReason, e.Delta.StopDetails
	}
	u := &e.Usage
	for _, count := range []struct {
		given bool
		of    *int64
		n     int64
	}{
		{u.JSON.InputTokens.Valid(), &s.counts.input, u.InputTokens},
		{u.JSON.OutputTokens.Valid(), &s.counts.output, u.OutputTokens},
		{u.JSON.CacheReadInputTokens.Valid(), &s.counts.read, u.CacheReadInputTokens},
		{u.JSON.CacheCreationInputTokens.Valid(), &s.counts.written, u.CacheCreationInputTokens},
		{u.JSON.OutputTokensDetails.Valid(), &s.counts.thought, u.OutputTokensDetails.ThinkingTokens},
	} {
		if count.given {
			*count.of = count.n
		}
	}
}
