package serve_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/servetest"
	"github.com/graphgen/graphgen/thread"
)

// TestModes holds that runs are served in each mode of saving, with a feed and without: streams have every step once, from the beginning of the run on.
func TestModes(t *testing.T) {
	for _, mode := range []thread.Mode{thread.EveryStep, thread.Async, thread.AtPauses} {
		for _, feed := range []*thread.Feed{nil, new(thread.Feed)} {
			if testing.Short() && feed == nil && mode != thread.Async { // which look at the store every half second
				continue
			}
			t.Run("mode "+strconv.Itoa(int(mode))+", feed "+strconv.FormatBool(feed != nil), func(t *testing.T) {
				shop := newShop()
				set := thread.Settings{Store: thread.NewMemory(), Feed: feed, Mode: mode, Lease: time.Second}
				m, err := servetest.NewOrder(shop, thread.With(set))
				if err != nil {
					t.Fatal(err)
				}
				s := serves(t, shared(), serve.Durable("orders", m))
				s.shop = shop
				var ids []string
				ends := func(r *http.Request, status string) {
					t.Helper()
					list := s.open(r).all()
					for _, e := range list {
						if e.id != "" {
							ids = append(ids, e.id)
						}
					}
					if last := list[len(list)-1]; last.name != "end" || !strings.Contains(last.data, `"status":"`+status+`"`) {
						t.Fatalf("the stream ends with %v", last)
					}
				}
				ends(s.request("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "A-7"}}`, "Accept", "text/event-stream"), "paused")
				ends(s.request("POST", "/threads/a/requests/approve.1", `"approve"`, "Accept", "text/event-stream"), "completed")
				ends(s.request("POST", "/graphs/orders/threads", `{"thread": "a", "input": {"order": "cheap"}}`, "Accept", "text/event-stream"), "completed")
				var want []string
				for range ids {
					want = append(want, strconv.Itoa(len(want)+1))
				}
				if !slices.Equal(ids, want) || len(ids) < 3 {
					t.Errorf("the steps are %v", ids)
				}
				s.want(s.do("POST", "/graphs/orders/threads", `{"thread": "b", "input": {"order": "A-7"}}`), http.StatusAccepted)
				if status := s.ends("b"); status != "paused" {
					t.Errorf("the run is %s", status)
				}
				if mode == thread.Async { // that an answer is accepted means that its record is made: it may not be in the store yet
					s.want(s.do("POST", "/threads/b/requests/approve.1", `"approve"`, "Prefer", "wait"), http.StatusOK)
				} else {
					s.want(s.do("POST", "/threads/b/requests/approve.1", `"approve"`), http.StatusAccepted)
				}
				if status := s.ends("b"); status != "completed" {
					t.Errorf("the run is %s", status)
				}
			})
		}
	}
}
