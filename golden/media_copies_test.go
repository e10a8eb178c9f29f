package golden_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/golden/media"
)

// TestMediaIsNotCopied holds that a run shares the bytes of media with its caller, its tools and its model: it
// allocates as much for a document of many megabytes as for one of a few bytes.
func TestMediaIsNotCopied(t *testing.T) {
	type handlers struct{ media.MediaHandlers }
	type tools struct{ media.MediaTools }
	model := chat.ModelFunc(func(_ context.Context, req *chat.Request, _ func(chat.Delta)) (*chat.Response, error) {
		said := chat.Message{Role: chat.RoleAssistant, Text: "a contract"}
		if req.Purpose == chat.Choose {
			said.Text = `{"route":"describe"}`
		}
		return &chat.Response{Message: said, Finish: chat.Stop}, nil
	})
	m := must(media.NewMedia(handlers{}, tools{}, model))
	allocated := func(document []byte) uint64 {
		in := media.MediaInput{Photo: chat.Image{Type: "image/png", Data: []byte("a")}, Contract: &chat.PDF{Data: document}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := m.Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated([]byte("a")) // the first run fills pools
	const size = 8 << 20
	small, large := allocated([]byte("a")), allocated(make([]byte, size))
	t.Logf("a run allocates %d bytes, with a document of 8 MiB %d", small, large)
	if large > small+size/8 {
		t.Errorf("a run allocates %d bytes, and %d for a document of %d", small, large, size)
	}
}
