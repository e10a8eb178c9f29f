package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/internal/runevents"
	"github.com/graphgen/graphgen/thread"
)

// threadRun makes what a thread has saved into events.
func threadRun(ctx context.Context, name, rest string) (*savedRun, error) {
	head, steps, err := threadSteps(ctx, rest)
	if err != nil {
		return nil, err
	}
	requests, err := threads.Requests(&head)
	if err != nil {
		return nil, err
	}
	return &savedRun{name: name, graph: head.Graph, files: map[string]bool{}, events: runevents.Thread(head.Graph, steps, requests),
		note: "A thread has what steps changed and the results of calls. Requests are in the events of a run with graphgen.WithExchanges."}, nil
}

// threadSteps reads a thread of a file store.
func threadSteps(ctx context.Context, rest string) (head thread.Head, steps []thread.Step, err error) {
	dir, name, ok := strings.Cut(rest, "#")
	if !ok || dir == "" || name == "" {
		return head, nil, errors.New("a thread is given as file:FOLDER#THREAD")
	}
	s, err := openFiles("file:" + dir)
	if err != nil {
		return head, nil, err
	}
	defer s.Close()
	if head, _, err = s.Load(ctx, name, 0); err != nil {
		return head, nil, err
	}
	steps, err = runevents.LastRun(threads.Steps(ctx, s, name))
	return head, steps, err
}

// addState adds to the ends of steps what the records of the run's thread have saved of them.
func (r *savedRun) addState(ctx context.Context, name string) error {
	rest, ok := strings.CutPrefix(name, "file:")
	if !ok {
		return errors.New("a thread is given as file:FOLDER#THREAD")
	}
	_, steps, err := threadSteps(ctx, rest)
	if err != nil {
		return err
	}
	type saved struct {
		seq            uint64
		within, branch string
		node           string
		written        []any
	}
	var all []saved
	for _, s := range steps {
		for i := range s.Changes {
			c := &s.Changes[i]
			within, branch := runevents.Place(c.At)
			all = append(all, saved{s.Seq, within, branch, c.Node, runevents.Written(c)})
		}
	}
	for _, e := range r.events {
		kind := textOf(e, "kind")
		record, _ := strconv.ParseUint(fmt.Sprint(e["record"]), 10, 64)
		for k, s := range all {
			begins := kind == "route" && textOf(e, "node") == "" && s.node == "" // the values that a run begins with
			ends := (kind == "node_end" || kind == "node_error") && s.node == textOf(e, "node") && s.seq > record
			if (begins || ends) && s.within == textOf(e, "within") && s.branch == textOf(e, "branch") {
				e["written"] = s.written
				all = slices.Delete(all, k, k+1)
				break
			}
		}
	}
	r.note = ""
	return nil
}
