package engine

import (
	"iter"

	"github.com/graphgen/graphgen"
)

// stoppers yields the Stoppers of the run, of its parents and of its thread.
func (s *Settings) stoppers() iter.Seq[*graphgen.Stopper] {
	return func(yield func(*graphgen.Stopper) bool) {
		for {
			if s.Stopper != nil && !yield(s.Stopper) {
				return
			}
			if s.nesting == nil {
				if t := s.thread; t != nil {
					yield(t.Stopper())
				}
				return
			}
			s = s.nesting.run.settings
		}
	}
}

// isStopping reports whether the stop of the run, of a run around it, or of its thread is requested.
func (s *Settings) isStopping() bool {
	for ; !s.hasRequest(); s = s.nesting.run.settings {
		if s.nesting == nil {
			return false
		}
	}
	return true
}

// hasRequest reports whether the stop of the run itself is requested, or of the thread of an outermost run.
func (s *Settings) hasRequest() bool {
	return s.Stopper != nil && s.Stopper.Requested() || s.nesting == nil && s.thread != nil && s.thread.Stopping()
}

// hasStopper reports whether the run or a parent has a Stopper.
func (s *Settings) hasStopper() bool {
	for ; s.Stopper == nil; s = s.nesting.run.settings {
		if s.nesting == nil {
			return false
		}
	}
	return true
}
