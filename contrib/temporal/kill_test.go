package temporal_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/temporal"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest"
	"github.com/graphgen/graphgen/contrib/temporal/temporaltest/frontend"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// workerVariable is the environment variable of a worker process: where its server is, a folder, when it kills itself, and how long histories are.
const workerVariable = "TEMPORAL_WORKER"

func TestMain(m *testing.M) {
	if of := os.Getenv(workerVariable); of != "" {
		if err := mortal(strings.Fields(of)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// The moments at which a worker kills itself.
var moments = []string{"before", "within", "after", "task"}

// mortal works until the process is killed, or kills itself, in the n-th activity or workflow task: before the handler of an activity, after its effect,
// or after its handler has returned and before the server has the result.
func mortal(args []string) error {
	address, dir, moment := args[0], args[1], args[2]
	n, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	history, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(dir, "effects"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	k := &killer{moment: moment, n: int64(n)}
	h := &temporaltest.Traveller{Note: func(ctx context.Context, effect string) {
		if _, err := fmt.Fprintln(file, effect, graphgen.IdempotencyKey(ctx)); err != nil {
			panic(err)
		}
		k.reaches("within")
	}}
	c, err := client.Dial(client.Options{HostPort: address, Logger: silent, Identity: fmt.Sprint("worker@", os.Getpid())})
	if err != nil {
		return err
	}
	store := temporal.WithStore(temporal.Folder(dir), 0)
	stay, err := temporaltest.NewStayTemporal(h, store)
	if err != nil {
		return err
	}
	g, err := temporaltest.NewJourneyTemporal(h, h, chat.ModelFunc(temporaltest.Planner), stay, store, temporal.WithHistory(history))
	if err != nil {
		return err
	}
	w := worker.New(c, "payments", worker.Options{Interceptors: []interceptor.WorkerInterceptor{k}})
	g.Register(w)
	return w.Run(nil)
}

// A killer kills the process at the n-th time that it reaches a moment.
type killer struct {
	interceptor.WorkerInterceptorBase
	moment  string
	n       int64
	reached atomic.Int64
}

func (k *killer) reaches(moment string) {
	if k.moment != moment || k.reached.Add(1) != k.n {
		return
	}
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		err = p.Kill()
		if err == nil {
			select {}
		}
	}
}

func (k *killer) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &killedActivity{interceptor.ActivityInboundInterceptorBase{Next: next}, k}
}

func (k *killer) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &killedWorkflow{interceptor.WorkflowInboundInterceptorBase{Next: next}, k}
}

type killedActivity struct {
	interceptor.ActivityInboundInterceptorBase
	by *killer
}

func (a *killedActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	a.by.reaches("before")
	out, err := a.Next.ExecuteActivity(ctx, in)
	a.by.reaches("after")
	return out, err
}

type killedWorkflow struct {
	interceptor.WorkflowInboundInterceptorBase
	by *killer
}

func (w *killedWorkflow) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	w.by.reaches("task") // each task executes the workflow from its beginning
	return w.Next.ExecuteWorkflow(ctx, in)
}

// survived makes a run of the graph journey with worker processes, of which the first kills itself. It returns what the run gives, and how often each
// effect happened, without the ID of the run.
func survived(t *testing.T, moment string, n, history int) (out temporaltest.JourneyOutput, effects map[string]int, killed bool) {
	t.Helper()
	s, err := frontend.Start(silent)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	dir := t.TempDir()
	begin := func(moment string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %d %d", workerVariable, s.Address(), dir, moment, n, history))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	first := begin(moment)
	ended := make(chan *exec.Cmd, 1)
	done := make(chan struct{})
	go func() {
		defer close(ended)
		_ = first.Wait() // it is killed
		select {
		case <-done:
			return
		default:
		}
		s.Gone(fmt.Sprint("worker@", first.Process.Pid))
		ended <- begin("never")
	}()
	run, err := s.Client().ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "journey", TaskQueue: "payments"}, "journey",
		temporaltest.JourneyInput{To: "Rome"})
	if err != nil {
		t.Fatal(err)
	}
	agreed(t, s)
	if err := run.Get(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	close(done)
	_ = first.Process.Kill() // it may have killed itself
	second := <-ended
	if second != nil {
		_ = second.Process.Kill() // its work is done
		_ = second.Wait()
	}
	if f := s.Failures(); len(f) > 0 {
		t.Errorf("%s %d: workflow tasks failed: %q", moment, n, f)
	}
	data, err := os.ReadFile(filepath.Join(dir, "effects"))
	if err != nil {
		t.Fatal(err)
	}
	effects = map[string]int{}
	for line := range strings.Lines(string(data)) {
		what, key, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, key, _ = strings.Cut(key, "/")
		effects[what+" "+key]++
	}
	return out, effects, second != nil
}

// TestKilledWorkers kills worker processes at each boundary of each activity, within it and in each workflow task. Runs give what they give without, no
// workflow task fails, and at most the effect that was under way happens again, with its key.
func TestKilledWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	want, once, _ := survived(t, "never", 0, 10_000)
	keys := func(m map[string]int) (list []string) {
		for k := range m {
			list = append(list, k)
		}
		slices.Sort(list)
		return list
	}
	activities := 0
	for _, n := range once {
		activities += n
	}
	activities += 4 // calls of models
	kills, again := 0, 0
	begun := time.Now()
	every := tier.Pick(1, 7, 1)
	for i, moment := range moments {
		most := activities
		if moment == "task" {
			most = 3 * activities / 2
		}
		for n := 1 + i; n <= most; n += every {
			history := 10_000
			if n%2 == 0 {
				history = 1 // with a handover after each step
			}
			out, effects, killed := survived(t, moment, n, history)
			if !reflect.DeepEqual(out, want) || !slices.Equal(keys(effects), keys(once)) {
				t.Errorf("killed %s %d: it gives %+v, and its effects are %v", moment, n, out, effects)
			}
			more := 0
			for k, n := range effects {
				more += n - once[k]
			}
			if more > 1 {
				t.Errorf("killed %s %d: %d effects happened again: %v", moment, n, more, effects)
			}
			again += more
			if killed {
				kills++
			}
		}
	}
	t.Logf("%d kills, %d effects happened again with their keys, in %s", kills, again, time.Since(begun).Round(time.Second))
	if kills == 0 || again == 0 && tier.Full() {
		t.Errorf("%d kills, %d effects happened again", kills, again)
	}
}
