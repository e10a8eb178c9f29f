package flowchart

import (
	"testing"

	"github.com/graphgen/graphgen/spec/escape"
)

func TestObeyedIsWhatIsNotHarmless(t *testing.T) {
	for c := rune(0); c <= 0x10ffff; c++ {
		if isObeyed(c) == escape.Harmless(c) {
			t.Errorf("%U: obeyed is %t", c, isObeyed(c))
		}
	}
}
