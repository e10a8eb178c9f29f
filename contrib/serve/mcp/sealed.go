package mcp

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"sync"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/internal/jsonrpc"
)

// defaultLife is the Life of Options that have none.
const defaultLife = 24 * time.Hour

// aead returns what encrypts snapshots. Its key is of nothing else.
func (w *wire) aead() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, w.Key, nil, "graphgen mcp snapshot", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// bound is what a snapshot is of, besides what it has: it is opened for the same alone.
func bound(c *serve.Call) []byte {
	tenant := c.Caller().Tenant
	return append(append(binary.AppendUvarint(nil, uint64(len(tenant))), tenant...), c.Graph().Name...)
}

// takeOut returns the run that waits as a text that the server alone reads, and that is good for a time. The server keeps nothing of the run.
func (w *wire) takeOut(c *serve.Call, s state) (string, error) {
	thread, err := c.TakeOut()
	if err != nil {
		return "", err
	}
	seals, err := w.aead()
	if err != nil {
		return "", err
	}
	where := s.encode()
	data := binary.BigEndian.AppendUint64(nil, uint64(c.Now().Add(w.Life).Unix()))
	data = append(binary.AppendUvarint(data, uint64(len(where))), where...)
	return base64.RawURLEncoding.EncodeToString(seals.Seal(nil, nil, append(data, thread...), bound(c))), nil
}

// bringBack opens the thread of a text of takeOut.
func (w *wire) bringBack(c *serve.Call, text string) (s state, ok bool, err error) {
	seals, err := w.aead()
	if err != nil {
		return s, false, err
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	const head = 8 // the end of its time
	if err != nil {
		return s, false, nil
	}
	if data, err = seals.Open(nil, nil, data, bound(c)); err != nil || len(data) < head {
		return s, false, nil
	}
	until := time.Unix(int64(binary.BigEndian.Uint64(data)), 0)
	n, used := binary.Uvarint(data[head:])
	data = data[head+max(0, used):]
	if used <= 0 || n > uint64(len(data)) {
		return s, false, nil
	}
	if s, ok = decode(data[:n]); !ok {
		return s, false, nil
	}
	hash := sha256.Sum256(data[n:])
	s.hash = string(hash[:])
	if !c.Now().Before(until) {
		return s, false, &jsonrpc.Fault{
			Code: jsonrpc.Params, Message: "the time of requestState is over", Data: map[string]string{"code": "closed"}, Status: http.StatusConflict,
		}
	}
	if err := c.BringBack(data[n:]); err != nil {
		return s, false, err
	}
	return s, true, nil
}

// spent are the hashes of the threads with which this process has continued a run to where it has ended, or waits again. Each time that a client asks what its
// run waits for, it gets another text of the same thread.
type spent struct {
	mu   sync.Mutex
	has  map[string]bool
	list []string // the oldest first
}

// mostSpent is how many threads a process knows again.
const mostSpent = 10_000

func (s *spent) add(hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has == nil {
		s.has = map[string]bool{}
	}
	if len(s.list) == mostSpent {
		delete(s.has, s.list[0])
		s.list = s.list[1:]
	}
	s.has[hash], s.list = true, append(s.list, hash)
}

func (s *spent) knows(hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.has[hash]
}
