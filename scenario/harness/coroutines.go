package harness

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing/synctest"
	"time"
)

// coroutines is a driver whose runs are the same in every repetition: it executes one coroutine at a time, in a fixed order, and its time passes
// when all of them wait. It notes what a run does besides: a goroutine that it has not started, or a wait by the clock of the system.
type coroutines struct {
	time    time.Time
	timers  []*timer     // by time, then in the order in which they were set
	waiting []*coroutine // in the order in which they began to wait
	current *coroutine
	started int // by Go
	alive   int // likewise, that have not ended
	ids     int

	others  int           // goroutines besides, when the run began
	begun   time.Time     // by the clock of the system
	problem error         // the first
	late    time.Duration // how much later than the bubble the run begins, by the clock of the system
}

// A coroutine is a goroutine that is executed where it is the current one.
type coroutine struct {
	goroutine int
	resume    chan struct{}
	ready     func() bool // nil: it has not begun
}

type timer struct {
	at   time.Time
	call func()
}

// begin prepares the driver for the run that this goroutine makes. Its time is that at which bubbles begin.
func (c *coroutines) begin() {
	c.time = time.Now()
	time.Sleep(c.late)
	c.begun = time.Now()
	c.current = &coroutine{goroutine: goroutine(), resume: make(chan struct{})}
	c.others = runtime.NumGoroutine()
}

// goroutine returns the number of this goroutine.
func goroutine() int {
	var buf [64]byte
	text := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	number, _, _ := bytes.Cut(text, []byte(" "))
	n, err := strconv.Atoi(string(number))
	if err != nil {
		panic(err)
	}
	return n
}

// bubble is how many goroutines package synctest has for a test, with the one of the test.
const bubble = 3

// inBubble counts the goroutines of the bubble.
func inBubble() int {
	for stack := make([]byte, 1<<16); ; stack = make([]byte, 2*len(stack)) {
		if n := runtime.Stack(stack, true); n < len(stack) {
			return bytes.Count(stack[:n], []byte(", synctest bubble "))
		}
	}
}

// check notes a goroutine that has no place here: where names what it does.
func (c *coroutines) check(where string) {
	if c == nil {
		return
	}
	switch n := goroutine(); {
	case n != c.current.goroutine:
		c.wrong("%s on a goroutine that the scheduler has not started", where)
	case runtime.NumGoroutine() != c.others+c.alive: // some may be ending, or outside of the bubble
		if synctest.Wait(); inBubble() != bubble+c.alive {
			c.wrong("at %s there are goroutines that the scheduler has not started", where)
		}
	}
	if passed := time.Since(c.begun); passed != 0 {
		c.wrong("before %s the run has waited by the clock of the system, %s", where, passed)
	}
}

func (c *coroutines) wrong(format string, args ...any) {
	if c.problem == nil {
		c.problem = fmt.Errorf(format, args...)
	}
}

func (c *coroutines) Go(ctx context.Context, f func(context.Context)) {
	c.check("Go")
	c.started++
	c.alive++
	own := &coroutine{resume: make(chan struct{})}
	c.waiting = append(c.waiting, own)
	go func() {
		<-own.resume
		own.goroutine = goroutine()
		defer func() {
			c.alive--
			c.next().resume <- struct{}{}
		}()
		f(ctx)
	}()
}

func (c *coroutines) Wait(_ context.Context, ready func() bool) {
	c.check("Wait")
	own := c.current
	own.ready = ready
	c.waiting = append(c.waiting, own)
	if next := c.next(); next != own {
		next.resume <- struct{}{}
		<-own.resume
	}
}

// next makes the first coroutine that can continue the current one, and returns it. Time passes while there is none.
func (c *coroutines) next() *coroutine {
	for {
		for i, w := range c.waiting {
			if w.ready == nil || w.ready() {
				c.waiting = slices.Delete(c.waiting, i, i+1)
				c.current = w
				return w
			}
		}
		if len(c.timers) == 0 {
			panic("all coroutines wait")
		}
		first := c.timers[0]
		c.timers = c.timers[1:]
		c.time = first.at
		first.call()
	}
}

func (c *coroutines) Now() time.Time { return c.time }

func (c *coroutines) After(_ context.Context, d time.Duration, f func()) (stop func()) {
	t := &timer{c.time.Add(max(d, 0)), f}
	at, _ := slices.BinarySearchFunc(c.timers, t, func(a, b *timer) int {
		if a.at.After(b.at) {
			return 1
		}
		return -1 // those that are set later come later
	})
	c.timers = slices.Insert(c.timers, at, t)
	return func() { c.timers = slices.DeleteFunc(c.timers, func(other *timer) bool { return other == t }) }
}

// RunID returns the ID of the next run.
func (c *coroutines) RunID() string {
	c.ids++
	if c.ids == 1 {
		return runID
	}
	return runID + "-" + strconv.Itoa(c.ids)
}

// runID is the ID of the run of a scenario.
const runID = "scenario"
