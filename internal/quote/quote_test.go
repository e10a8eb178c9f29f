package quote

import (
	"strconv"
	"testing"
	"unicode/utf8"
)

func TestQuotesAreThoseOfStrconv(t *testing.T) {
	for r := range utf8.MaxRune + 2 {
		if got, want := Rune(r), strconv.QuoteRune(r); got != want {
			t.Fatalf("%x: got %s, want %s", r, got, want)
		}
		if got, want := Text(string(r)), strconv.Quote(string(r)); got != want {
			t.Fatalf("%x: got %s, want %s", r, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", `it's "so"`, "a\\b\n\x00\x7f", "\xff\xc3(", "é\u200b世\U000e0001", "\ufffd", "\xed\xa0\x80"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := Text(s), strconv.Quote(s); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
