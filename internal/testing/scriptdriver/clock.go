package scriptdriver

import (
	"context"
	"hash/fnv"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Cancelled is the kind of an entry of a handler that has stopped, because its context is
// done.
const Cancelled = "cancelled"

// Start is the tick at which runs begin.
const Start = 1

// tick is the unit of the clock by which handlers take their time.
const tick = time.Microsecond

// Takes returns how many ticks an execution takes, by the schedule, the caller's key and the number
// of the call. Few executions of a run take equally long, so that their order is certain.
func Takes(schedule int, key string, n int) int {
	return 1 + int(number(key+"#"+strconv.Itoa(n)+"/"+strconv.Itoa(schedule))%1_000_000)
}

// Turn is the entry of a script that an execution plays: the next one, from one on that
// depends on the elements that the key has after the name.
func Turn(name, key string, n, entries int) int {
	if elements := strings.TrimPrefix(key, name); elements != "" {
		n += int(number(elements) % 1000)
	}
	return n % entries
}

func number(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// At returns the text with which a call records when it began.
func At(ticks int) string { return "at " + strconv.Itoa(ticks) + " " }

// now is the time since the run began, in ticks, from Start on.
func (p *Player) now() int { return Start + int(time.Since(p.start)/tick) }

// work takes the time of an execution; it is false where the context was done before.
func (p *Player) work(ctx context.Context, ticks int) bool {
	switch {
	case p.mode.AtOnce:
		for range ticks % 5 {
			runtime.Gosched()
		}
	case ctx == nil:
		time.Sleep(time.Duration(ticks) * tick)
	default:
		timer := time.NewTimer(time.Duration(ticks) * tick)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}
