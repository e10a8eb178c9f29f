package main

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// A speed measures how much slower the machine is than when nothing else runs: it does a fixed piece of work many times, of which the
// fastest was not interrupted. Beside other programs, and beside the tests themselves, the same work takes longer.
type speed struct {
	mu      sync.Mutex
	fastest time.Duration // of a piece
	samples []slow
}

// A slow is how long a sample took.
type slow struct {
	at     time.Time
	pieces time.Duration
}

// Pieces are short, so that one of many is not interrupted; a sample is long enough to be interrupted as often as a program is.
const (
	piece           = 300_000 // steps, below a millisecond
	piecesPerSample = 40
)

func newSpeed() *speed {
	s := &speed{}
	s.sample()
	return s
}

// watch takes a sample each second.
func (s *speed) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.sample()
		}
	}
}

func (s *speed) sample() {
	fastest, begun := time.Hour, time.Now()
	for range piecesPerSample {
		start, x := time.Now(), uint64(1)
		for range piece {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		runtime.KeepAlive(x)
		fastest = min(fastest, time.Since(start))
	}
	s.add(slow{time.Now(), time.Since(begun)}, fastest)
}

func (s *speed) add(sample slow, fastest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fastest == 0 || fastest < s.fastest {
		s.fastest = fastest
	}
	s.samples = append(s.samples, sample)
}

// factor is how many times slower the machine was in an interval, and if it has no sample, at the last one before it.
func (s *speed) factor(from, to time.Time) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, sum, last := 0, time.Duration(0), time.Duration(0)
	for _, x := range s.samples {
		switch {
		case x.at.After(to):
		case x.at.Before(from):
			last = x.pieces
		default:
			n, sum = n+1, sum+x.pieces
		}
	}
	if n == 0 {
		n, sum = 1, last
	}
	return max(1, float64(sum)/float64(n)/float64(piecesPerSample*s.fastest))
}

// mean is the factor of all samples.
func (s *speed) mean() float64 { return s.factor(time.Time{}, time.Now()) }
