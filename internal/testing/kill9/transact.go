//go:build unix

package kill9

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/transacts"
	"github.com/graphgen/graphgen/thread"
)

// A Database is the database of a store, with a table of rows. Processes write to it by the Writer of Main.
type Database struct {
	Address string
	Open    Opener
	Rows    func() []string // that are committed
}

// Kinds of points.
const (
	beforeHandler = "before the handler"
	withinHandler = "within the handler"
	beforeCommit  = "before the commit"
	behindCommit  = "behind the commit"
	elsewhere     = "elsewhere"
)

const (
	racingSample  = 3  // the distance of the points at which a process goes on until the kill takes effect
	randomRuns    = 6  // of which every process is killed
	randomPoints  = 24 // within which a process of a random run is killed
	mostProcesses = 60 // of a run
	leastKills    = 3  // of each kind
)

// transacting is a victim whose store has transactions.
type transacting struct {
	*victim
	in thread.Transactor
}

// Transact implements thread.Transactor.
func (s transacting) Transact(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
	ack, err := s.in.Transact(ctx, l, func(ctx context.Context) (thread.Head, []thread.Record, error) {
		s.passes(beforeHandler)
		h, r, err := f(ctx)
		s.passes(beforeCommit)
		return h, r, err
	})
	s.passes(behindCommit)
	return ack, err
}

// books writes a row, with points around it.
func (v *victim) books(ctx context.Context, row string) error {
	err := v.note("handler " + row)
	v.passes(withinHandler)
	err = errors.Join(err, v.write(ctx, v.Thread+": "+row))
	v.passes(withinHandler)
	return err
}

// Transactions makes runs whose nodes write in transactions of their store, in processes that are killed with SIGKILL: each run at one
// point, where its process halts, or continues until the kill takes effect, and some runs at random points until they are done. After
// each kill, the rows are of the transactions that the thread has saved; in the end each row is there once. No
// handler is called again whose row was committed.
func Transactions(t *testing.T, d Database) {
	t.Helper()
	store, err := d.Open(t.Context(), d.Address)
	if err != nil {
		t.Fatal(err)
	}
	racing := racingSample
	if os.Getenv(Soak) != "" {
		racing = 1
	}
	c := &cashbook{t: t, to: d.Address, db: transacts.Database{Store: store.(thread.Transactor), Rows: d.Rows}, kinds: map[string]int{}}
	whole := c.run("payout", func(int) (int, bool) { return 0, false })
	if whole < 30 {
		t.Fatalf("there are %d points", whole)
	}
	begin, wait := crowd()
	once := func(name string, at int, racing bool) {
		begin(func() {
			c.run(fmt.Sprint("payout killed ", name, at), func(process int) (int, bool) { return at * max(0, 1-process), racing })
		})
	}
	for at := 1; at <= whole; at++ {
		once("at ", at, false)
		if at%racing == 0 {
			once("behind ", at, true)
		}
	}
	for seed := range uint64(randomRuns) {
		random := rand.New(rand.NewPCG(seed, 1))
		begin(func() {
			c.run(fmt.Sprint("payout killed at random ", seed), func(int) (int, bool) { return 1 + random.IntN(randomPoints), random.IntN(2) == 0 })
		})
	}
	wait()
	for _, kind := range []string{beforeHandler, withinHandler, beforeCommit, behindCommit, elsewhere} {
		if c.kinds[kind] < leastKills {
			t.Errorf("%d processes were killed %s", c.kinds[kind], kind)
		}
	}
	t.Logf("%d runs, %d kills (%v): %d rows, %d missing or doubled; %d handlers called again that were under way, %d whose row was committed",
		c.runs, c.kills, c.kinds, c.rows, c.wrong, c.again, c.rerun)
}

// A cashbook is what the kills of all runs have led to.
type cashbook struct {
	t  *testing.T
	to string // the address of the database
	db transacts.Database

	mu                                     sync.Mutex
	kinds                                  map[string]int // kills, by the kind of their point
	runs, kills, rows, wrong, again, rerun int
}

// run makes a run in processes, of which each is killed at a point that a function chooses; 0: it is not. It returns
// the points of the last process.
func (c *cashbook) run(name string, point func(process int) (int, bool)) (points int) {
	o := order{Graph: payout, Thread: name, Address: c.to, Notes: filepath.Join(c.t.TempDir(), "notes")}
	kills, ended := 0, false
	for process := 0; !ended && process < mostProcesses; process++ {
		var killed bool
		o.Point, o.Racing = point(process)
		if killed, ended = o.process(c.t); killed {
			kills++
		}
		for _, row := range c.db.Agrees(c.t, name) {
			if err := o.note("committed " + row); err != nil {
				c.t.Error(err)
			}
		}
	}
	if !ended {
		c.t.Errorf("%s: the run has not ended", name)
	}
	return c.add(o, kills)
}

// add counts a run, and reports what is wrong with it.
func (c *cashbook) add(o order, kills int) (points int) {
	name := o.Thread
	c.mu.Lock()
	defer c.mu.Unlock()
	kinds, called, committed, output := 0, map[string]int{}, map[string]bool{}, ""
	for kind, of := range o.notes(c.t) {
		switch kind {
		case "points":
			points, _ = strconv.Atoi(of)
		case "output":
			output = of
		case "committed":
			committed[of] = true
		case "point":
			kinds++
			c.kinds[of]++
		case "handler":
			if called[of]++; committed[of] {
				c.rerun++
				c.t.Errorf("%s: the handler of %q is called, though its row was committed", name, of)
			}
		}
	}
	rows := c.db.Of(name)
	if !slices.Equal(rows, transacts.Booked) {
		c.wrong++
		c.t.Errorf("%s: the rows are %q, want %q", name, rows, transacts.Booked)
	}
	if want := `{"account":"A","booked":[2,3],"sum":5}`; !strings.EqualFold(output, want) {
		c.t.Errorf("%s: the output is %s, want %s", name, output, want)
	}
	for _, row := range transacts.Booked {
		c.again += called[row] - 1
	}
	c.again-- // the first attempt to open an account fails
	c.runs++
	c.kills += kills
	c.rows += len(rows)
	c.kinds[elsewhere] += kills - kinds
	return points
}
