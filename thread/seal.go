package thread

import (
	"github.com/graphgen/graphgen/internal/quote"
)

// A Sealer encrypts what threads keep of the secret fields of a graph. Package seal has one with keys in memory. Its methods
// may be called concurrently.
type Sealer interface {
	// Seal encrypts data with the newest key, and returns the ID of that key. Open needs the same about, which is not
	// encrypted.
	Seal(data, about []byte) (key string, sealed []byte, err error)

	// Open returns the data that was sealed with a key. The error is a [*KeyError] if the key is missing or does not fit.
	Open(key string, sealed, about []byte) ([]byte, error)
}

// A KeyError is the error of opening what was sealed with a key that the machine does not have, or that is another key under the same ID. The thread
// is unchanged: give the machine the key, as one of the older keys of seal.New. If the key is right, the sealed bytes have changed.
type KeyError struct {
	Key   string // the ID
	Wrong bool   // there is a key with this ID, and it does not open what was sealed
}

func (e *KeyError) Error() string {
	if e.Wrong {
		return "key " + quote.Text(e.Key) + " does not open what was sealed with it: the key is another one, or the bytes have changed"
	}
	return "key " + quote.Text(e.Key) + " is missing: secret fields were sealed with it"
}
