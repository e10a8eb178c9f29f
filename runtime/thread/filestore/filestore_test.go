package filestore

import (
	"testing"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/runtime/thread"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) storetest.Backend {
		dir := t.TempDir()
		return storetest.Backend{Lasting: true, Open: func() thread.Store {
			s, err := open(dir, osFiles{}, clock.Now)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}}
	})
}
