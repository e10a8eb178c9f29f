package mcp

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// tail is how much of the standard error is kept for errors, in bytes.
const tail = 2 << 10

// A stderr takes what a process writes to a stream, and passes it on without the secrets.
type stderr struct {
	cfg  *config
	to   *kept
	held []byte // may be the beginning of a secret
}

// A kept is where the streams of a process go: to the writer of the user, and the end of it to errors.
type kept struct {
	mu   sync.Mutex
	text []byte
}

func newStderr(cfg *config) *stderr { return &stderr{cfg: cfg, to: &kept{}} }

// beside returns one for another stream of the process, which goes to the same place. A secret that is on one stream may have been
// interrupted by the other.
func (s *stderr) beside() *stderr { return &stderr{cfg: s.cfg, to: s.to} }

// Write never fails: what becomes of a log must not end a server.
func (s *stderr) Write(p []byte) (int, error) {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	text, pass := append(s.held, p...), []byte(nil)
	for len(text) > 0 {
		secret, more := s.cfg.secretOf(text)
		if more {
			break
		}
		if secret == 0 {
			pass, text = append(pass, text[0]), text[1:]
			continue
		}
		pass, text = append(pass, s.cfg.redact(string(text[:secret]))...), text[secret:]
	}
	s.held = bytes.Clone(text)
	s.pass(pass)
	return len(p), nil
}

// secretOf returns how long the secret is that a text begins with, 0 for none, and whether what follows may make it a longer one.
func (c *config) secretOf(text []byte) (length int, more bool) {
	for _, secret := range c.secrets { // the longest first
		switch n := min(len(secret), len(text)); {
		case secret[:n] != string(text[:n]):
		case n < len(secret):
			return 0, true
		default:
			return n, false
		}
	}
	return 0, false
}

// holds reports whether something is held.
func (s *stderr) holds() bool {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	return len(s.held) > 0
}

// flush passes on what is held: nothing follows it.
func (s *stderr) flush() {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	s.pass([]byte(s.cfg.redact(string(s.held))))
	s.held = nil
}

func (s *stderr) pass(text []byte) {
	if len(text) == 0 {
		return
	}
	k := s.to
	k.text = append(k.text, text...)
	if over := len(k.text) - tail; over > 0 {
		k.text = append(k.text[:0], k.text[over:]...)
	}
	if s.cfg.stderr != nil {
		_, _ = s.cfg.stderr.Write(text)
	}
}

// last returns the end of what was written, in whole lines where there are several.
func (s *stderr) last() string {
	s.to.mu.Lock()
	defer s.to.mu.Unlock()
	text := string(s.to.text)
	if len(text) == tail {
		if _, rest, found := strings.Cut(text, "\n"); found && rest != "" {
			text = rest
		}
	}
	return strings.ToValidUTF8(strings.TrimSpace(text), "")
}

var _ io.Writer = (*stderr)(nil)
