package golden_test

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/graphgen/graphgen/golden/parallel"
)

// A crew does the work of nodes of the graph parallel that stand in branches: whatever work does.
type crew struct {
	parallel.ParallelHandlers // nil: no other node is to run
	to                        parallel.ParallelStartGoto
	work                      func(ctx context.Context, node string) error

	working atomic.Int64 // handlers that have not returned
}

func (c *crew) Start(context.Context, parallel.ParallelState) (parallel.ParallelStartGoto, error) {
	return c.to, nil
}

func (c *crew) Clean(context.Context, parallel.ParallelQuick1Out) error { return nil }

func (c *crew) Mourn(context.Context, parallel.ParallelMournIn) (parallel.ParallelMournOut, error) {
	return parallel.ParallelMournOut{}, nil
}

func (c *crew) Rescue(context.Context, parallel.ParallelRescueIn) (parallel.ParallelRescueOut, error) {
	return parallel.ParallelRescueOut{}, nil
}

func (c *crew) Tell(context.Context, parallel.ParallelTellIn) (parallel.ParallelTellOut, error) {
	return parallel.ParallelTellOut{}, nil
}

// did has a node do its work, and returns what it adds to the log.
func (c *crew) did(ctx context.Context, node string) ([]string, error) {
	c.working.Add(1)
	defer c.working.Add(-1)
	node = strings.ToLower(node)
	return []string{node}, c.work(ctx, node)
}

func (c *crew) Slow3(ctx context.Context, _ parallel.ParallelSlow3In) (out parallel.ParallelSlow3Out, err error) {
	out.Log, err = c.did(ctx, "Slow3")
	return out, err
}

func (c *crew) Try1(ctx context.Context, _ parallel.ParallelTry1In) (out parallel.ParallelTry1Out, err error) {
	out.Log, err = c.did(ctx, "Try1")
	return out, err
}

func (c *crew) Quick1(ctx context.Context) (out parallel.ParallelQuick1Out, err error) {
	out.Log, err = c.did(ctx, "Quick1")
	return out, err
}

func (c *crew) Quick2(ctx context.Context) (out parallel.ParallelQuick2Out, err error) {
	out.Log, err = c.did(ctx, "Quick2")
	return out, err
}

func (c *crew) Quick3(ctx context.Context) (out parallel.ParallelQuick3Out, err error) {
	out.Log, err = c.did(ctx, "Quick3")
	return out, err
}

func (c *crew) Slow1(ctx context.Context) (out parallel.ParallelSlow1Out, err error) {
	out.Log, err = c.did(ctx, "Slow1")
	return out, err
}

func (c *crew) Slow2(ctx context.Context) (out parallel.ParallelSlow2Out, err error) {
	out.Log, err = c.did(ctx, "Slow2")
	return out, err
}

func (c *crew) Run1(ctx context.Context) (out parallel.ParallelRun1Out, err error) {
	out.Log, err = c.did(ctx, "Run1")
	return out, err
}

func (c *crew) Run2(ctx context.Context) (out parallel.ParallelRun2Out, err error) {
	out.Log, err = c.did(ctx, "Run2")
	return out, err
}

func (c *crew) Run3(ctx context.Context) (out parallel.ParallelRun3Out, err error) {
	out.Log, err = c.did(ctx, "Run3")
	return out, err
}

func (c *crew) Step1(ctx context.Context) (out parallel.ParallelStep1Out, err error) {
	out.Log, err = c.did(ctx, "Step1")
	return out, err
}

func (c *crew) Step2(ctx context.Context) (out parallel.ParallelStep2Out, err error) {
	out.Log, err = c.did(ctx, "Step2")
	return out, err
}

func (c *crew) Step3(ctx context.Context) (out parallel.ParallelStep3Out, err error) {
	out.Log, err = c.did(ctx, "Step3")
	return out, err
}

func (c *crew) Poll1(ctx context.Context) (out parallel.ParallelPoll1Out, err error) {
	out.Log, err = c.did(ctx, "Poll1")
	return out, err
}

func (c *crew) Poll2(ctx context.Context) (out parallel.ParallelPoll2Out, err error) {
	out.Log, err = c.did(ctx, "Poll2")
	return out, err
}

func (c *crew) Poll3(ctx context.Context) (out parallel.ParallelPoll3Out, err error) {
	out.Log, err = c.did(ctx, "Poll3")
	return out, err
}

func (c *crew) Poll4(ctx context.Context) (out parallel.ParallelPoll4Out, err error) {
	out.Log, err = c.did(ctx, "Poll4")
	return out, err
}

func (c *crew) Try2(ctx context.Context) (out parallel.ParallelTry2Out, err error) {
	_, err = c.did(ctx, "Try2")
	return parallel.ParallelTry2Out{Total: 1}, err
}

func (c *crew) Brief1(ctx context.Context) (out parallel.ParallelBrief1Out, err error) {
	out.Log, err = c.did(ctx, "Brief1")
	return out, err
}

func (c *crew) Brief2(ctx context.Context) (out parallel.ParallelBrief2Out, err error) {
	_, err = c.did(ctx, "Brief2")
	return parallel.ParallelBrief2Out{Total: 1}, err
}

func (c *crew) Soft1(ctx context.Context) (out parallel.ParallelSoft1Out, err error) {
	out.Log, err = c.did(ctx, "Soft1")
	return out, err
}

func (c *crew) Soft2(ctx context.Context) (out parallel.ParallelSoft2Out, err error) {
	out.Log, err = c.did(ctx, "Soft2")
	return out, err
}

func (c *crew) Sure1(ctx context.Context) (out parallel.ParallelSure1Out, err error) {
	_, err = c.did(ctx, "Sure1")
	return parallel.ParallelSure1Out{Total: 1}, err
}

func (c *crew) Sure2(ctx context.Context) (out parallel.ParallelSure2Out, err error) {
	out.Log, err = c.did(ctx, "Sure2")
	return out, err
}
