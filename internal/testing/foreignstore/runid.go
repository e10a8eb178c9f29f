package foreignstore

import (
	"context"
	"errors"
	"testing"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/durable"
	"github.com/graphgen/graphgen/thread"
)

// A secretary writes pages, and may fail or end the context of its run at one of them.
type secretary struct {
	t     *testing.T
	m     *durable.Journal
	pages int
	fails int // the page that it fails at; 0: none
	ends  int // the page that its process ends after; 0: none
	end   context.CancelFunc
}

var errPen = errors.New("the pen is dry")

func (s *secretary) write(context.Context) (string, error) {
	switch s.pages++; s.pages {
	case s.fails:
		return "", errPen
	case s.ends:
		s.end()
	}
	return "page", nil
}

// start starts a run, and returns what it gives and how many pages were written for it.
func (s *secretary) start(run string, most int) (pages, written int, err error) {
	before := s.pages
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	s.end = cancel
	var opts []graphgen.RunOption
	if run != "" {
		opts = append(opts, graphgen.WithRunID(run))
	}
	out, err := s.m.Thread("t").Start(ctx, durable.JournalInput{Basis: "b", Most: most}, opts...)
	return out.Pages, s.pages - before, err
}

// gives holds that Start gives a number of pages, of which some are written for it.
func (s *secretary) gives(run string, most, written int) {
	s.t.Helper()
	if pages, made, err := s.start(run, most); err != nil || pages != most || made != written {
		s.t.Errorf("run %q of %d: %d pages, %d of them written, %v", run, most, pages, made, err)
	}
}

// refuses holds that Start writes nothing, and returns an error.
func (s *secretary) refuses(run string, most int, want error) {
	s.t.Helper()
	_, written, err := s.start(run, most)
	if of, ok := errors.AsType[*thread.StateError](err); !ok || of.Thread != "t" || of.Run != run || !errors.Is(err, want) || written > 0 {
		s.t.Errorf("run %q of %d: %d pages written, %v, want %v", run, most, written, err, want)
	}
}

// RunIDs holds that the ID of a run names one run of a thread, however that has ended.
func RunIDs(t *testing.T, open Open) {
	store := open(t, new(Clock))
	s := &secretary{t: t}
	s.m = newJournal(t, thread.Settings{Store: store}, s.write)
	var failure error
	failed := func() {
		t.Helper()
		_, written, err := s.start("fails", 2)
		if end, ok := errors.AsType[*graphgen.RunError](err); !ok || end.Reason != graphgen.Failed || end.Error() != failure.Error() || written > 0 {
			t.Errorf("the failed run: %d pages written, %v", written, err)
		}
	}
	s.gives("first", 3, 3)
	s.gives("first", 3, 0)
	s.refuses("first", 2, thread.ErrOtherInput)

	s.fails = s.pages + 2
	if _, _, failure = s.start("fails", 2); !errors.Is(failure, errPen) {
		t.Fatal(failure)
	}
	failed()
	s.gives("", 1, 1)
	failed()
	s.gives("first", 3, 0)
	s.refuses("first", 4, thread.ErrOtherInput)
	s.refuses("t.1", 1, thread.ErrNumberedRun)

	s.ends = s.pages + 1
	if _, written, err := s.start("ends", 4); !errors.Is(err, context.Canceled) || written != 1 {
		t.Errorf("the run that ends: %d pages written, %v", written, err)
	}
	s.refuses("ends", 5, thread.ErrOtherInput)
	s.gives("first", 3, 0)
	s.gives("ends", 4, 3)
	s.gives("ends", 4, 0)

	if _, err := store.Prune(t.Context(), "t", 1<<40); err != nil {
		t.Error(err)
	}
	s.refuses("first", 3, thread.ErrRunPruned)
	s.refuses("fails", 2, thread.ErrRunPruned)
	s.gives("ends", 4, 0)
	s.gives("new", 1, 1)
	s.gives("", 1, 1)
	s.refuses("first", 3, thread.ErrRunPruned)
}
