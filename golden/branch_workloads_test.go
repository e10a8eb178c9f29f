package golden_test

import (
	"context"
	"iter"
	"strings"
	"sync/atomic"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/golden/branchnode"
	"github.com/graphgen/graphgen/golden/forknode"
	"github.com/graphgen/graphgen/golden/join"
	"github.com/graphgen/graphgen/golden/maxparallel"
)

// A workload is what handlers of nodes in branches do: work.
type workload struct {
	work    func(ctx context.Context, node string) error
	working atomic.Int64 // handlers that have not returned
}

// idle is a workload of handlers that do nothing.
func idle() *workload {
	return &workload{work: func(context.Context, string) error { return nil }}
}

// do does the work of a node, and returns what the node adds to the log.
func (w *workload) do(ctx context.Context, node string) ([]string, error) {
	w.working.Add(1)
	defer w.working.Add(-1)
	node = strings.ToLower(node)
	return []string{node}, w.work(ctx, node)
}

// A fork is a machine that runs branches.
type fork struct {
	run    func(ctx context.Context, opts ...graphgen.RunOption) error
	stream func(ctx context.Context, opts ...graphgen.RunOption) iter.Seq[graphgen.Event]
}

// forkOf returns the fork of a machine, whose input is empty.
func forkOf[In, Out any](m interface {
	Run(context.Context, In, ...graphgen.RunOption) (Out, error)
	Stream(context.Context, In, ...graphgen.RunOption) *graphgen.Stream[Out]
}, err error) (fork, error) {
	var in In
	return fork{
		run: func(ctx context.Context, opts ...graphgen.RunOption) error {
			_, err := m.Run(ctx, in, opts...)
			return err
		},
		stream: func(ctx context.Context, opts ...graphgen.RunOption) iter.Seq[graphgen.Event] {
			return m.Stream(ctx, in, opts...).Events()
		},
	}, err
}

// forks are machines that join branches in different ways, with the settings that a parallel node or its
// branches can have.
var forks = map[string]func(*workload) (fork, error){
	"failFast":    func(w *workload) (fork, error) { return forkOf(join.NewFailFast(failFast{w})) },
	"joinAll":     func(w *workload) (fork, error) { return forkOf(join.NewJoinAll(joinAll{w})) },
	"joinFirst":   func(w *workload) (fork, error) { return forkOf(join.NewJoinFirst(joinFirst{w})) },
	"joinCount":   func(w *workload) (fork, error) { return forkOf(join.NewJoinCount(joinCount{w})) },
	"joinSettled": func(w *workload) (fork, error) { return forkOf(join.NewJoinSettled(joinSettled{w})) },
	"maxParallel": func(w *workload) (fork, error) { return forkOf(maxparallel.NewMaxParallel(maxParallel{w})) },
	"branchNode":  func(w *workload) (fork, error) { return forkOf(branchnode.NewBranchNode(branchNode{w})) },
	"forkRetry":   func(w *workload) (fork, error) { return forkOf(forknode.NewForkRetry(forkRetry{w})) },
	"forkTimeout": func(w *workload) (fork, error) { return forkOf(forknode.NewForkTimeout(forkTimeout{w})) },
	"forkSoft":    func(w *workload) (fork, error) { return forkOf(forknode.NewForkSoft(forkSoft{w})) },
}

type failFast struct{ *workload }

func (h failFast) Quick1(ctx context.Context) (out join.FailFastQuick1Out, err error) {
	out.Log, err = h.do(ctx, "Quick1")
	return out, err
}

func (h failFast) Quick2(ctx context.Context) (out join.FailFastQuick2Out, err error) {
	out.Log, err = h.do(ctx, "Quick2")
	return out, err
}

func (h failFast) Quick3(ctx context.Context) (out join.FailFastQuick3Out, err error) {
	out.Log, err = h.do(ctx, "Quick3")
	return out, err
}

func (failFast) Mourn(context.Context, join.FailFastMournIn) error { return nil }

type joinAll struct{ *workload }

func (h joinAll) Slow1(ctx context.Context) (out join.JoinAllSlow1Out, err error) {
	out.Log, err = h.do(ctx, "Slow1")
	return out, err
}

func (h joinAll) Slow2(ctx context.Context) (out join.JoinAllSlow2Out, err error) {
	out.Log, err = h.do(ctx, "Slow2")
	return out, err
}

func (h joinAll) Slow3(ctx context.Context) (out join.JoinAllSlow3Out, err error) {
	out.Log, err = h.do(ctx, "Slow3")
	return out, err
}

func (joinAll) Mourn(context.Context, join.JoinAllMournIn) error { return nil }

type joinFirst struct{ *workload }

func (h joinFirst) Run1(ctx context.Context) (out join.JoinFirstRun1Out, err error) {
	out.Log, err = h.do(ctx, "Run1")
	return out, err
}

func (h joinFirst) Run2(ctx context.Context) (out join.JoinFirstRun2Out, err error) {
	out.Log, err = h.do(ctx, "Run2")
	return out, err
}

func (h joinFirst) Run3(ctx context.Context) (out join.JoinFirstRun3Out, err error) {
	out.Log, err = h.do(ctx, "Run3")
	return out, err
}

func (joinFirst) Mourn(context.Context, join.JoinFirstMournIn) error { return nil }

type joinCount struct{ *workload }

func (h joinCount) Step1(ctx context.Context) (out join.JoinCountStep1Out, err error) {
	out.Log, err = h.do(ctx, "Step1")
	return out, err
}

func (h joinCount) Step2(ctx context.Context) (out join.JoinCountStep2Out, err error) {
	out.Log, err = h.do(ctx, "Step2")
	return out, err
}

func (h joinCount) Step3(ctx context.Context) (out join.JoinCountStep3Out, err error) {
	out.Log, err = h.do(ctx, "Step3")
	return out, err
}

type joinSettled struct{ *workload }

func (h joinSettled) Poll1(ctx context.Context) (out join.JoinSettledPoll1Out, err error) {
	out.Log, err = h.do(ctx, "Poll1")
	return out, err
}

func (h joinSettled) Poll2(ctx context.Context) (out join.JoinSettledPoll2Out, err error) {
	out.Log, err = h.do(ctx, "Poll2")
	return out, err
}

func (h joinSettled) Poll3(ctx context.Context) (out join.JoinSettledPoll3Out, err error) {
	out.Log, err = h.do(ctx, "Poll3")
	return out, err
}

func (h joinSettled) Poll4(ctx context.Context) (out join.JoinSettledPoll4Out, err error) {
	out.Log, err = h.do(ctx, "Poll4")
	return out, err
}

func (joinSettled) Mourn(context.Context, join.JoinSettledMournIn) error { return nil }

type maxParallel struct{ *workload }

func (h maxParallel) Quick1(ctx context.Context) (out maxparallel.MaxParallelQuick1Out, err error) {
	out.Log, err = h.do(ctx, "Quick1")
	return out, err
}

func (h maxParallel) Quick2(ctx context.Context) (out maxparallel.MaxParallelQuick2Out, err error) {
	out.Log, err = h.do(ctx, "Quick2")
	return out, err
}

func (h maxParallel) Quick3(ctx context.Context) (out maxparallel.MaxParallelQuick3Out, err error) {
	out.Log, err = h.do(ctx, "Quick3")
	return out, err
}

func (maxParallel) Mourn(context.Context, maxparallel.MaxParallelMournIn) error { return nil }

type branchNode struct{ *workload }

func (h branchNode) Quick1(ctx context.Context) (out branchnode.BranchNodeQuick1Out, err error) {
	out.Log, err = h.do(ctx, "Quick1")
	return out, err
}

func (h branchNode) Quick2(ctx context.Context) (out branchnode.BranchNodeQuick2Out, err error) {
	out.Log, err = h.do(ctx, "Quick2")
	return out, err
}

func (h branchNode) Quick3(ctx context.Context) (out branchnode.BranchNodeQuick3Out, err error) {
	out.Log, err = h.do(ctx, "Quick3")
	return out, err
}

func (branchNode) Clean(context.Context, branchnode.BranchNodeQuick1Out) error { return nil }

func (branchNode) Mourn(context.Context, branchnode.BranchNodeMournIn) error { return nil }

type forkRetry struct{ *workload }

func (h forkRetry) Try1(ctx context.Context, _ forknode.ForkRetryTry1In) (out forknode.ForkRetryTry1Out, err error) {
	out.Log, err = h.do(ctx, "Try1")
	return out, err
}

func (h forkRetry) Try2(ctx context.Context) (forknode.ForkRetryTry2Out, error) {
	_, err := h.do(ctx, "Try2")
	return forknode.ForkRetryTry2Out{Total: 1}, err
}

type forkTimeout struct{ *workload }

func (h forkTimeout) Brief1(ctx context.Context) (out forknode.ForkTimeoutBrief1Out, err error) {
	out.Log, err = h.do(ctx, "Brief1")
	return out, err
}

func (h forkTimeout) Brief2(ctx context.Context) (forknode.ForkTimeoutBrief2Out, error) {
	_, err := h.do(ctx, "Brief2")
	return forknode.ForkTimeoutBrief2Out{Total: 1}, err
}

func (forkTimeout) Rescue(context.Context, forknode.ForkTimeoutRescueIn) error { return nil }

func (forkTimeout) Tell(context.Context, forknode.ForkTimeoutTellIn) error { return nil }

type forkSoft struct{ *workload }

func (h forkSoft) Soft1(ctx context.Context) (out forknode.ForkSoftSoft1Out, err error) {
	out.Log, err = h.do(ctx, "Soft1")
	return out, err
}

func (h forkSoft) Soft2(ctx context.Context) (out forknode.ForkSoftSoft2Out, err error) {
	out.Log, err = h.do(ctx, "Soft2")
	return out, err
}

func (forkSoft) Mourn(context.Context, forknode.ForkSoftMournIn) error { return nil }
