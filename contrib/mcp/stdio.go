package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// endless is how many times the limit one message may be long before its server is given
// up. What is between is read and thrown away, and the server continues.
const endless = 16

// A stdio is a transport over the standard streams of a process: one message a line.
// It replaces the SDK's own transport, which ends the connection at a long line, queues
// what it reads without a bound, and is blocked for good by a server that does not read.
type stdio struct {
	p       *process
	gate    *gate
	lines   *bufio.Reader
	log     *stderr           // for the lines that are no messages
	batch   []jsonrpc.Message // that were on one line, and are yet to be read
	writing chan struct{}     // holds one while a goroutine writes
}

func newStdio(p *process, g *gate) *stdio {
	return &stdio{p: p, gate: g, lines: bufio.NewReaderSize(p.out, 64<<10), log: p.stderr.beside(), writing: make(chan struct{}, 1)}
}

// Connect returns the connection itself: the process runs already.
func (c *stdio) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID returns nothing: the process is the session.
func (c *stdio) SessionID() string { return "" }

// Read returns the next message that is of use. The SDK's context is never done; Close is
// what ends a Read.
func (c *stdio) Read(context.Context) (jsonrpc.Message, error) {
	for {
		for len(c.batch) > 0 {
			msg := c.batch[0]
			c.batch = c.batch[1:]
			pass, err := c.gate.admit(msg)
			if err != nil {
				c.p.lost(err)
				return nil, err
			}
			if pass {
				move(msg)
				return msg, nil
			}
		}
		var err error
		if c.batch, err = c.line(); err != nil {
			c.log.flush()
			c.p.lost(err)
			return nil, err
		}
	}
}

// line reads a line, and returns the messages on it. One that is too long is an error to
// the call that it answers.
func (c *stdio) line() ([]jsonrpc.Message, error) {
	var line []byte
	for {
		part, err := c.lines.ReadSlice('\n')
		if len(line)+len(part) > c.gate.limit {
			return c.tooLong(line, part, err)
		}
		if cap(line)-len(line) < len(part) {
			line = slices.Grow(line, len(line)+len(part)) // a long one is not copied over and over
		}
		line = append(line, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return c.messages(line)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, gone(err)
		}
	}
}

// tooLong goes to the end of a line without keeping it.
func (c *stdio) tooLong(line, part []byte, err error) ([]jsonrpc.Message, error) {
	var s scanner
	s.feed(line)
	s.feed(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		if s.seen > endless*c.gate.limit {
			return nil, errors.New("one message of it has more than " + strconv.Itoa(endless*c.gate.limit) + " bytes, and has not ended")
		}
		part, err = c.lines.ReadSlice('\n')
		s.feed(part)
	}
	if err != nil {
		return nil, gone(err)
	}
	if id, answers := s.call(); answers {
		return []jsonrpc.Message{answer(id, c.gate.tooLarge())}, nil
	}
	c.gate.heard.Add(1)
	return nil, nil
}

// messages decodes a line. What does not begin as a message does is a line of a log that
// should have gone to the standard error, and goes there.
func (c *stdio) messages(line []byte) ([]jsonrpc.Message, error) {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		if c.log.holds() { // an empty line may be one of a secret's
			_, _ = c.log.Write(line)
		}
		return nil, nil
	}
	parts := []json.RawMessage{text}
	switch text[0] {
	case '{':
	case '[': // a batch, of versions of the protocol before 2025-06-18
		if err := json.Unmarshal(text, &parts); err == nil {
			break
		}
		fallthrough
	default:
		_, _ = c.log.Write(append(bytes.TrimSuffix(line, []byte("\n")), '\n'))
		return nil, nil
	}
	msgs := make([]jsonrpc.Message, len(parts))
	for i, part := range parts {
		var err error
		if msgs[i], err = jsonrpc.DecodeMessage(part); err != nil {
			return nil, errors.New("it wrote a line that is not a message of JSON-RPC: " + err.Error())
		}
	}
	return msgs, nil
}

// gone is the error of a stream that has ended, for whichever reason a pipe ends.
func gone(err error) error {
	if errors.Is(err, io.EOF) {
		return err
	}
	return errors.Join(io.EOF, err)
}

// Write writes a message. When the context ends while a server does not read, a part of a
// message may have been written; the connection is of no use then.
func (c *stdio) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.writing }()
	c.gate.leaving(msg)

	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(over)
		if c.p.in.SetWriteDeadline(time.Unix(1, 0)) != nil {
			_ = c.p.in.Close() // where a pipe has no deadlines
		}
	})
	n, err := c.p.in.Write(append(data, '\n'))
	if !stop() {
		<-over
		_ = c.p.in.SetWriteDeadline(time.Time{})
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && n == 0:
		return ctx.Err()
	case ctx.Err() != nil:
		c.p.lost(errors.New("it does not read its standard input"))
		return ctx.Err()
	}
	return gone(err)
}

// Close closes the standard input, which asks the server to end, and ends a Read. The SDK
// calls it; the process itself is ended by its session.
func (c *stdio) Close() error {
	_ = c.p.in.Close()
	_ = c.p.out.Close()
	return nil
}
