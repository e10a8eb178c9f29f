// Package seal encrypts what threads keep of the secret fields of graphs, by AES-GCM, with keys that the caller has.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"strconv"

	"github.com/graphgen/graphgen/internal/quote"
	"github.com/graphgen/graphgen/thread"
)

// A Key is a key of AES. Its ID is stored in plain text beside what it seals.
type Key struct {
	ID    string
	Bytes []byte // 16, 24 or 32
}

// Keys seal with the newest key, and open with all. A key seals at most 2^32 records: its nonces are random.
type Keys struct {
	newest  string
	ciphers map[string]cipher.AEAD
}

var _ thread.Sealer = (*Keys)(nil)

// New returns the keys of a machine. The newest one seals; the older ones open what they have sealed. To replace a key, put the
// next one before it, and leave the key out when no thread has records of it. The error names a key without an ID, one of two keys with the same
// ID, or a key of a length that AES does not have.
func New(newest Key, older ...Key) (*Keys, error) {
	k := &Keys{newest: newest.ID, ciphers: map[string]cipher.AEAD{}}
	for _, key := range append([]Key{newest}, older...) {
		wrong := func(problem string) error { return errors.New("key " + quote.Text(key.ID) + " " + problem) }
		switch {
		case key.ID == "":
			return nil, wrong("has no ID")
		case k.ciphers[key.ID] != nil:
			return nil, wrong("is given twice")
		}
		block, err := aes.NewCipher(key.Bytes)
		if err != nil {
			return nil, wrong("has " + strconv.Itoa(len(key.Bytes)) + " bytes: 16, 24 or 32 are needed")
		}
		if k.ciphers[key.ID], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// Seal implements thread.Sealer.
func (k *Keys) Seal(data, about []byte) (key string, sealed []byte, err error) {
	return k.newest, k.ciphers[k.newest].Seal(nil, nil, data, about), nil
}

// Open implements thread.Sealer.
func (k *Keys) Open(key string, sealed, about []byte) ([]byte, error) {
	c := k.ciphers[key]
	if c == nil {
		return nil, &thread.KeyError{Key: key}
	}
	data, err := c.Open(nil, nil, sealed, about)
	if err != nil {
		return nil, &thread.KeyError{Key: key, Wrong: true}
	}
	return data, nil
}
