package mcp

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// drain is how long what a process wrote last is read after its end. It is all there, so
// this only matters where something that left the process's group holds the pipe open.
const drain = 500 * time.Millisecond

// A process is a server that was started.
type process struct {
	cfg    *config
	cmd    *exec.Cmd
	in     *os.File // to its standard input
	out    *os.File // from its standard output
	stderr *stderr
	exited chan struct{} // closed when it has ended, and its standard error was read to the end

	ending sync.Once
	mu     sync.Mutex
	why    error // its connection was ended for this
	over   bool  // nothing of its group is left, and its number may be another's
}

// start starts the process.
func start(cfg *config) (*process, error) {
	p := &process{cfg: cfg, exited: make(chan struct{}), stderr: newStderr(cfg)}
	p.cmd = exec.Command(cfg.argv[0], cfg.argv[1:]...)
	p.cmd.Env, p.cmd.Dir = cfg.environment(), cfg.dir
	ownGroup(p.cmd)

	var pipes [6]*os.File // the reading and the writing end of in, out and err
	var err error
	for i := 0; i < len(pipes) && err == nil; i += 2 {
		pipes[i], pipes[i+1], err = os.Pipe()
	}
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = pipes[0], pipes[3], pipes[5]
		err = p.cmd.Start()
	}
	if err != nil {
		closeAll(pipes[:])
		return nil, err
	}
	closeAll([]*os.File{pipes[0], pipes[3], pipes[5]})
	p.in, p.out = pipes[1], pipes[2]
	go p.watch(pipes[4])
	return p, nil
}

// closeAll closes files; those that are nil are none.
func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// watch reads the standard error, and waits for the end.
func (p *process) watch(errs *os.File) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(p.stderr, errs)
		p.stderr.flush()
	}()
	_ = p.cmd.Wait() // how it ended is in the state
	p.signal(kill)   // the processes that it started and did not end
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	until := time.Now().Add(drain)
	_ = p.out.SetReadDeadline(until)
	_ = errs.SetReadDeadline(until)
	<-read
	_ = errs.Close()
	_ = p.in.Close()
	close(p.exited)
}

// lost marks the connection as unusable. The process has a grace to end by itself, so that
// its exit status is its own; one that broke the protocol has none.
func (p *process) lost(why error) {
	p.mu.Lock()
	if p.why == nil || errors.Is(p.why, io.EOF) { // the end of the output is the least specific reason
		p.why = why
	}
	p.mu.Unlock()
	if errors.Is(why, io.EOF) {
		p.ending.Do(func() { go p.finish(p.cfg.grace) })
		return
	}
	p.ending.Do(func() { go p.finish(0) })
	p.signal(kill) // in case a grace has begun
}

// end ends the process, and returns when it has.
func (p *process) end() {
	p.ending.Do(func() { p.finish(p.cfg.grace) })
	<-p.exited
}

// finish closes the input, then asks, then kills, and waits for each of it; without a grace
// it kills immediately.
func (p *process) finish(grace time.Duration) {
	defer p.out.Close()
	_ = p.in.Close()
	if grace > 0 && (p.exitsWithin(grace) || p.asked(grace)) {
		return
	}
	p.signal(kill)
	<-p.exited
}

// asked signals the process to terminate, and reports whether it did.
func (p *process) asked(grace time.Duration) bool {
	p.signal(terminate)
	return p.exitsWithin(grace)
}

// signal does something to the group, as long as there is one.
func (p *process) signal(do func(*exec.Cmd)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		do(p.cmd)
	}
}

func (p *process) exitsWithin(grace time.Duration) bool {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// down returns what became of the process, once it has ended.
func (p *process) down(ctx context.Context) *DownError {
	e := &DownError{}
	select {
	case <-p.exited:
		e.Status = p.cmd.ProcessState.String()
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why != nil && !errors.Is(p.why, io.EOF) {
		e.Err = p.why
	} else {
		e.Err = errors.New("the process ended")
	}
	e.Stderr = p.stderr.last()
	return e
}

// gone reports whether the process, or its connection, has ended.
func (p *process) gone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why != nil
}
