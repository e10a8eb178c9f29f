package mcp

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// tail is how much of the standard error is kept for errors, in bytes.
const tail = 2 << 10

// A stderr takes what a process writes to its standard error: it keeps the end of it, and
// passes all of it on, without the secrets.
type stderr struct {
	cfg *config

	mu     sync.Mutex
	held   []byte // may be the beginning of a secret
	longer int    // how long that can be
	kept   []byte
}

func newStderr(cfg *config) *stderr {
	s := &stderr{cfg: cfg}
	for _, secret := range cfg.secrets {
		s.longer = max(s.longer, len(secret)-1)
	}
	return s
}

// Write never fails: what becomes of a log must not end a server.
func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := []byte(s.cfg.redact(string(s.held) + string(p)))
	pass := len(text)
	if line := bytes.LastIndexByte(text, '\n') + 1; line < pass {
		pass = max(line, pass-s.longer)
	}
	s.held = bytes.Clone(text[pass:])
	s.pass(text[:pass])
	return len(p), nil
}

// flush passes on what is held: nothing follows it.
func (s *stderr) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass(s.held)
	s.held = nil
}

func (s *stderr) pass(text []byte) {
	if len(text) == 0 {
		return
	}
	s.kept = append(s.kept, text...)
	if over := len(s.kept) - tail; over > 0 {
		s.kept = append(s.kept[:0], s.kept[over:]...)
	}
	if s.cfg.stderr != nil {
		_, _ = s.cfg.stderr.Write(text)
	}
}

// last returns the end of what was written, in whole lines where there are several.
func (s *stderr) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := string(s.kept)
	if len(text) == tail {
		if _, rest, found := strings.Cut(text, "\n"); found && rest != "" {
			text = rest
		}
	}
	return strings.ToValidUTF8(strings.TrimSpace(text), "")
}

var _ io.Writer = (*stderr)(nil)
