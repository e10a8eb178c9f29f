package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
)

// The largest message and header that are read, in bytes.
const (
	maxMessage = 64 << 20
	maxHeader  = 4 << 10
)

// A message is a request, a notification, or an answer, of JSON-RPC 2.0.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

// isRequest reports whether a message wants an answer.
func (m *message) isRequest() bool { return m.Method != "" && len(m.ID) > 0 }

// A fault is an error as it is sent.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *fault) Error() string { return f.Message }

// The codes of faults.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeFailed         = -32803
)

// failed is the fault of a request that is in order, and cannot be done.
func failed(format string, args ...any) *fault {
	return &fault{codeFailed, fmt.Sprintf(format, args...)}
}

// A conn reads and writes messages.
type conn struct {
	in *bufio.Reader

	mu  sync.Mutex
	out io.Writer
}

func newReader(in io.Reader) *bufio.Reader { return bufio.NewReaderSize(in, 64<<10) }

// read returns the next message. A fault is about that message alone; any other error ends the connection.
func (c *conn) read() (*message, error) {
	size, err := c.header()
	if err != nil {
		return nil, err
	}
	if size > maxMessage {
		if _, err := io.CopyN(io.Discard, c.in, size); err != nil {
			return nil, err
		}
		return nil, &fault{codeInvalidRequest, fmt.Sprintf("the message has %d bytes, more than %d", size, maxMessage)}
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.in, body); err != nil {
		return nil, err
	}
	m := new(message)
	switch err := json.Unmarshal(body, m); {
	case err != nil:
		return nil, &fault{codeParse, "the message is not JSON of a request: " + err.Error()}
	case m.Version != "2.0":
		return nil, &fault{codeInvalidRequest, `the message has not "jsonrpc": "2.0"`}
	}
	if bytes.Equal(m.ID, []byte("null")) {
		m.ID = nil
	}
	return m, nil
}

// header reads the header of a message and returns the size of its body.
func (c *conn) header() (size int64, err error) {
	size = -1
	for read := 0; ; {
		line, err := c.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) || read > maxHeader {
			return 0, errors.New("the header of a message is too long")
		}
		if err != nil {
			if errors.Is(err, io.EOF) && (read > 0 || len(line) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		read += len(line)
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" && size >= 0 {
			return size, nil
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return 0, fmt.Errorf("the line %.40q is not of a header", text)
		}
		if textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)) == "Content-Length" {
			size, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil || size < 0 {
				return 0, fmt.Errorf("the length %.40q is not a size", value)
			}
		}
	}
}

// write writes a message.
func (c *conn) write(m *message) error {
	m.Version = "2.0"
	body, err := encode(m)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n", len(body)); err != nil {
		return err
	}
	_, err = c.out.Write(body)
	return err
}

// encode returns the JSON of a value.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// answer answers a request. A result that is nil is null.
func (c *conn) answer(id json.RawMessage, result any, err error) error {
	m := &message{ID: id, Result: result}
	if len(id) == 0 {
		m.ID = json.RawMessage("null")
	}
	if err != nil {
		m.Result = nil
		if m.Error, _ = errors.AsType[*fault](err); m.Error == nil {
			m.Error = &fault{codeInternal, err.Error()}
		}
	} else if result == nil {
		m.Result = json.RawMessage("null")
	}
	return c.write(m)
}

// notify sends a notification.
func (c *conn) notify(method string, params any) error {
	raw, err := encode(params)
	if err != nil {
		return err
	}
	return c.write(&message{Method: method, Params: raw})
}
