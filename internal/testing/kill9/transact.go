//go:build unix

package kill9

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphgen/graphgen/golden/transact"
	"github.com/graphgen/graphgen/internal/testing/transacts"
	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/thread"
)

// A Writer writes a row in the transaction of a context.
type Writer func(ctx context.Context, row string) error

// A Database is the database of a store, with a table of rows. Processes write to it by the Writer of Main.
type Database struct {
	Address string
	Open    Opener
	Rows    func() []string // that are committed
}

// payout names the graph whose nodes have transactions.
const payout = "payout"

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

// newPayout makes the machine of the graph with transactions.
func newPayout(v *victim, name string, write Writer) (*machine, error) {
	in, ok := v.Store.(thread.Transactor)
	if !ok || write == nil {
		return nil, errors.New("the store has no transactions")
	}
	m, err := transact.NewPayout(transacts.Teller{
		Write:  func(ctx context.Context, row string) error { return v.books(ctx, write, row, name) },
		Closed: func(ctx context.Context) bool { return graphrt.Info(ctx).Attempt == 1 },
	}, thread.With(thread.Settings{Store: transacting{v, in}, Lease: lease}))
	return &machine{
		start: func(ctx context.Context) ([]byte, error) {
			return encode(m.Start(ctx, name, transact.PayoutInput{Amounts: []int{2, 3}}))
		},
		recover: func(ctx context.Context) ([]byte, error) { return encode(m.Recover(ctx, name)) },
	}, err
}

// transacting is a victim whose store has transactions.
type transacting struct {
	*victim
	in thread.Transactor
}

// Transact implements thread.Transactor.
func (s transacting) Transact(ctx context.Context, l thread.Lease, f func(context.Context) (thread.Head, []thread.Record, error)) (thread.Ack, error) {
	ack, err := s.in.Transact(ctx, l, func(ctx context.Context) (thread.Head, []thread.Record, error) {
		s.passesAt(beforeHandler)
		h, r, err := f(ctx)
		s.passesAt(beforeCommit)
		return h, r, err
	})
	s.passesAt(behindCommit)
	return ack, err
}

// books writes a row, with points around it.
func (v *victim) books(ctx context.Context, write Writer, row, name string) error {
	v.note("handler " + row)
	v.passesAt(withinHandler)
	err := write(ctx, name+": "+row)
	v.passesAt(withinHandler)
	return err
}

// Transactions makes runs whose nodes write in transactions of their store, in processes that are killed with SIGKILL: each run at one
// point, where its process halts or goes on until the kill takes effect, and some runs at random points until they are done. After
// each kill, the rows are those of the transactions that the thread has saved; in the end each row is there once. No
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
	c := &cashbook{t: t, d: d, store: store, kinds: map[string]int{}}
	whole := c.run("payout", func(int) (int, bool) { return 0, false })
	if whole < 30 {
		t.Fatalf("there are %d points", whole)
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	begin := func(name string, point func(process int) (int, bool)) {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			c.run(name, point)
		})
	}
	for at := 1; at <= whole; at++ {
		once := func(process int) int {
			if process > 0 {
				return 0
			}
			return at
		}
		begin(fmt.Sprintf("payout killed at %d", at), func(process int) (int, bool) { return once(process), false })
		if at%racing == 0 {
			begin(fmt.Sprintf("payout killed behind %d", at), func(process int) (int, bool) { return once(process), true })
		}
	}
	for seed := range uint64(randomRuns) {
		random := rand.New(rand.NewPCG(seed, 1))
		begin(fmt.Sprintf("payout killed at random %d", seed), func(int) (int, bool) { return 1 + random.IntN(randomPoints), random.IntN(2) == 0 })
	}
	wg.Wait()
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
	t     *testing.T
	d     Database
	store thread.Store

	mu                                     sync.Mutex
	kinds                                  map[string]int // kills, by the kind of their point
	runs, kills, rows, wrong, again, rerun int
}

// run makes a run in processes, of which each is killed at a point that a function chooses; 0: it is not. It returns
// the points of the last process.
func (c *cashbook) run(name string, point func(process int) (int, bool)) (points int) {
	file := filepath.Join(c.t.TempDir(), "notes")
	kills, ended := 0, false
	for process := 0; !ended && process < mostProcesses; process++ {
		at, racing := point(process)
		cmd := exec.CommandContext(c.t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), graphVariable+"="+payout, threadVariable+"="+name, addressVariable+"="+c.d.Address,
			notesVariable+"="+file, pointVariable+"="+strconv.Itoa(at))
		if racing {
			cmd.Env = append(cmd.Env, racingVariable+"=1")
		}
		out, err := cmd.CombinedOutput()
		killed := cmd.ProcessState != nil && cmd.ProcessState.ExitCode() < 0
		switch {
		case err == nil:
			ended = true
		case killed && at > 0:
			kills++
		case !outran(out):
			c.t.Errorf("%s, process %d: %v\n%s", name, process, err, out)
		}
		c.agrees(name, file)
	}
	if !ended {
		c.t.Errorf("%s: the run has not ended", name)
	}
	return c.add(name, file, kills)
}

// agrees holds that the rows of a thread are those of the transactions that it has saved, and notes them. A server may commit what a
// process that was killed has sent, so that both are read until nothing changes.
func (c *cashbook) agrees(name, file string) {
	var rows []string
	saved, then := -1, -2
	for saved != then {
		then = saved
		rows = transacts.RowsOf(c.d.Rows(), name)
		saved = transacts.Saved(c.t, c.store, name)
	}
	if len(rows) != saved {
		c.t.Errorf("%s: %d transactions are saved, and the rows are %q", name, saved, rows)
	}
	notes, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Error(err)
		return
	}
	for _, row := range rows {
		fmt.Fprintln(notes, "committed", row)
	}
	if err := notes.Close(); err != nil {
		c.t.Error(err)
	}
}

// add counts a run, and reports what is wrong with it.
func (c *cashbook) add(name, file string, kills int) (points int) {
	text, err := os.ReadFile(file)
	if err != nil {
		c.t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	kinds, called, committed, output := 0, map[string]int{}, map[string]bool{}, ""
	for line := range strings.Lines(string(text)) {
		kind, of, _ := strings.Cut(strings.TrimSpace(line), " ")
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
	rows := transacts.RowsOf(c.d.Rows(), name)
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
