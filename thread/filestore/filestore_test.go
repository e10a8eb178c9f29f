package filestore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/thread"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) storetest.Backend {
		dir := t.TempDir()
		return storetest.Backend{Lasting: true,
			Damage: &storetest.Damage{Remove: func(name string, from, through uint64) { remove(t, dir, name, from, through) }}, Open: func() thread.Store {
				s, err := open(dir, osFiles{}, clock.Now)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			}}
	})
}

// remove cuts the file of a thread before its last records, or changes the frames of others.
func remove(t *testing.T, dir, name string, from, through uint64) {
	t.Helper()
	path, err := filepath.Glob(dir + "/" + folder(name) + "/*" + segmentEnd)
	if err != nil || len(path) != 1 {
		t.Fatal("the thread has several segments", path, err)
	}
	data, err := os.ReadFile(path[0])
	if err != nil {
		t.Fatal(err)
	}
	seg := parse(id{}, data, 0)
	for _, s := range seg.spots {
		switch seq := s.entry().head.Seq; {
		case seq < from || seq > through:
		case through == seg.head().Seq:
			data = data[:s.off]
			through = 0
		default:
			data[s.off+frameHead] ^= 1
		}
	}
	if err := os.WriteFile(path[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
}
