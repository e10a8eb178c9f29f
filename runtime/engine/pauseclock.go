package engine

import "time"

// A pauseClock is how long pauses took.
type pauseClock struct {
	since  time.Time     // of a paused run
	before time.Duration // when the current step began
	all    time.Duration
}

// stopClocks notes that a pause of the run begins.
func (p *Pauses) stopClocks() {
	p.clock.since = p.run.settings.Now()
	if w := p.run.more.watch; w != nil && !p.run.settings.isWatched() {
		w.begun = time.Time{} // of an earlier step, if it is set
	}
}

// stop ends a pause of the run.
func (p *pauseClock) stop(s *Settings) {
	if p != nil && !p.since.IsZero() {
		p.all += s.Since(p.since)
		p.since = time.Time{}
	}
}

// total returns how long the pauses took, until now.
func (p *pauseClock) total(s *Settings) time.Duration {
	switch {
	case p == nil:
		return 0
	case p.since.IsZero():
		return p.all
	}
	return p.all + s.Since(p.since)
}

// beginStep notes that a step begins.
func (p *pauseClock) beginStep() {
	if p != nil {
		p.before = p.all
	}
}

// inStep returns how long the pauses of the current step took.
func (p *pauseClock) inStep() time.Duration {
	if p == nil {
		return 0
	}
	return p.all - p.before
}
