package seal_test

import (
	"bytes"
	"testing"

	"github.com/graphgen/graphgen/thread"
	"github.com/graphgen/graphgen/thread/seal"
)

func key(id string, fill byte) seal.Key {
	return seal.Key{ID: id, Bytes: bytes.Repeat([]byte{fill}, 32)}
}

func TestKeys(t *testing.T) {
	first, err := seal.New(key("a", 1))
	if err != nil {
		t.Fatal(err)
	}
	id, sealed, err := first.Seal([]byte("plain text"), []byte("record 1"))
	if err != nil || id != "a" || bytes.Contains(sealed, []byte("plain")) {
		t.Fatalf("sealed by %q: %q, %v", id, sealed, err)
	}
	if _, again, _ := first.Seal([]byte("plain text"), []byte("record 1")); bytes.Equal(sealed, again) {
		t.Error("the same text is sealed to the same bytes twice")
	}
	changed := bytes.Clone(sealed)
	changed[len(changed)-1] ^= 1
	for name, test := range map[string]struct {
		keys   []seal.Key
		sealed []byte
		about  string
		want   error // nil: it opens
	}{
		"its key":                     {[]seal.Key{key("a", 1)}, sealed, "record 1", nil},
		"its key, as an older one":    {[]seal.Key{key("b", 2), key("a", 1)}, sealed, "record 1", nil},
		"another key":                 {[]seal.Key{key("b", 2)}, sealed, "record 1", &thread.KeyError{Key: "a"}},
		"another key of its ID":       {[]seal.Key{key("a", 2)}, sealed, "record 1", &thread.KeyError{Key: "a", Wrong: true}},
		"bytes that have changed":     {[]seal.Key{key("a", 1)}, changed, "record 1", &thread.KeyError{Key: "a", Wrong: true}},
		"the place of another record": {[]seal.Key{key("a", 1)}, sealed, "record 2", &thread.KeyError{Key: "a", Wrong: true}},
		"no bytes":                    {[]seal.Key{key("a", 1)}, nil, "record 1", &thread.KeyError{Key: "a", Wrong: true}},
	} {
		t.Run(name, func(t *testing.T) {
			k, err := seal.New(test.keys[0], test.keys[1:]...)
			if err != nil {
				t.Fatal(err)
			}
			text, err := k.Open("a", test.sealed, []byte(test.about))
			if test.want == nil && (err != nil || string(text) != "plain text") {
				t.Fatalf("it opens as %q, %v", text, err)
			}
			if test.want != nil && (err == nil || err.Error() != test.want.Error()) {
				t.Fatalf("the error is %v, want %v", err, test.want)
			}
		})
	}
}

// TestNewest holds that the first of several keys seals.
func TestNewest(t *testing.T) {
	k, err := seal.New(key("c", 3), key("b", 2), key("a", 1))
	if err != nil {
		t.Fatal(err)
	}
	if id, sealed, err := k.Seal([]byte("text"), nil); err != nil || id != "c" {
		t.Errorf("it is sealed by %q, %v", id, err)
	} else if only, err := seal.New(key("c", 3)); err != nil || second(only.Open("c", sealed, nil)) != nil {
		t.Errorf("the key %q does not open it", id)
	}
}

func second[T any](_ T, err error) error { return err }

func TestNew(t *testing.T) {
	for want, keys := range map[string][]seal.Key{
		`key "" has no ID`:                              {key("", 1)},
		`key "a" is given twice`:                        {key("a", 1), key("a", 2)},
		`key "a" has 17 bytes: 16, 24 or 32 are needed`: {{ID: "a", Bytes: make([]byte, 17)}},
		`key "a" has 0 bytes: 16, 24 or 32 are needed`:  {{ID: "a"}},
	} {
		t.Run(want, func(t *testing.T) {
			if k, err := seal.New(keys[0], keys[1:]...); k != nil || err == nil || err.Error() != want {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
