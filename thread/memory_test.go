package thread_test

import (
	"testing"

	"github.com/graphgen/graphgen/contrib/storetest"
	"github.com/graphgen/graphgen/thread"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, clock *storetest.Clock) storetest.Backend {
		m := thread.NewMemoryAt(clock.Now)
		return storetest.Backend{Open: func() thread.Store { return m }}
	})
}
