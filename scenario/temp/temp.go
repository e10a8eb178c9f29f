// Package temp makes temporary files that the next run removes if this one is killed. A file is
// locked for as long as its run lives, so that no run removes those of another.
package temp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockName is the file of a directory that is locked.
const lockName = "graphgen.lock"

// Ages after which what is not locked is left over: a file is locked just after it is made, and a
// directory of a run that was killed before it had a lock has none.
const (
	oldFile = time.Second
	oldDir  = time.Hour
)

// Dir makes a directory whose name begins with a prefix, and removes those that killed runs have
// left. The directory is removed by the function that it returns.
func Dir(prefix string) (dir string, remove func(), err error) {
	sweepDirs(prefix)
	dir, err = os.MkdirTemp("", prefix)
	if err != nil {
		return "", nil, err
	}
	unnamed := filepath.Join(dir, lockName+".new")
	lock, err := os.Create(unnamed)
	if err == nil {
		Hold(lock)
		err = os.Rename(unnamed, filepath.Join(dir, lockName)) // it is there with its lock, or not at all
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", nil, err
	}
	return dir, func() {
		os.RemoveAll(dir)
		lock.Close()
	}, nil
}

func sweepDirs(prefix string) {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := filepath.Join(os.TempDir(), e.Name())
		switch info, err := os.Lstat(filepath.Join(dir, lockName)); {
		case err == nil && info.Mode().IsRegular():
			if free(filepath.Join(dir, lockName)) {
				os.RemoveAll(dir)
			}
		case errors.Is(err, fs.ErrNotExist) && older(dir, oldDir):
			os.RemoveAll(dir)
		}
	}
}

// Sweep removes the files of a directory that killed runs have left, of those whose names are
// temporary.
func Sweep(dir string, temporary func(name string) bool) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if temporary(e.Name()) && e.Type().IsRegular() && older(path, oldFile) && free(path) {
			os.Remove(path)
		}
	}
}

func older(path string, age time.Duration) bool {
	info, err := os.Lstat(path)
	return err == nil && time.Since(info.ModTime()) > age
}
