package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// Programs of Node.js are measured in nodeTurns processes, each for nodeTime after as much time of warming up.
const (
	nodeTurns = 5
	nodeTime  = 3 * time.Second
)

// errNoNode is the reason for which programs of Node.js are not measured.
var errNoNode = errors.New("there is no node or no npm")

// installed installs the packages of a folder in a copy of it, and returns the copy.
func (m *meter) installed(ctx context.Context, pkg string) (string, error) {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return "", errNoNode
		}
	}
	dir := filepath.Join(m.dir, filepath.Base(pkg))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.CopyFS(dir, os.DirFS(pkg)); err != nil {
		return "", err
	}
	m.progress("npm ci %s", filepath.Base(pkg))
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("npm ci: %w\n%s", err, out), os.RemoveAll(dir))
	}
	return dir, nil
}

// node measures a program of Node.js in turns. Without node, npm or the packages it is not measured, and the reason is printed.
func (m *meter) node(ctx context.Context, b benchmark) error {
	if m.noNode != nil {
		return nil
	}
	dir, err := m.installed(ctx, b.pkg)
	if err != nil {
		m.progress("%s is not measured: %v", filepath.Base(b.pkg), err)
		m.noNode = err
		return ctx.Err()
	}
	m.samples[b] = [][]result{nil}
	for turn := range min(m.turns, nodeTurns) {
		m.progress("node %s %s, turn %d", filepath.Base(b.pkg), b.name, turn+1)
		run := exec.CommandContext(ctx, "node", "bench.mjs", b.name, strconv.FormatInt(m.nodeTime.Milliseconds(), 10))
		run.Dir = dir
		out, err := run.Output()
		if err != nil {
			return fmt.Errorf("%s %s: %w", b.pkg, b.name, err)
		}
		r, err := parse(string(out), b.name)
		if err != nil {
			return err
		}
		m.samples[b][0] = append(m.samples[b][0], r)
	}
	return nil
}
