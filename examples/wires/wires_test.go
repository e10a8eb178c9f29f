package wires

import (
	"bytes"
	"strings"
	"testing"
)

// TestTalk holds that the conversation is the same over each wire.
func TestTalk(t *testing.T) {
	var out bytes.Buffer
	if err := Talk(&out); err != nil {
		t.Fatal(err)
	}
	const want = "  guest:  Please refund order A-7\n  asks:   Pay 20 back for order A-7?\n  person: approve\n  says:   20 were paid back for order A-7.\n"
	for _, c := range clients {
		if !strings.Contains(out.String(), c.name+"\n"+want) {
			t.Errorf("%s: the conversation is another one:\n%s", c.name, &out)
		}
	}
}
