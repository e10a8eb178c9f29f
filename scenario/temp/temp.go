// Package temp makes temporary files that a later run removes if this one is killed. Each file is
// locked while its run is alive, so no run removes the files of another.
package temp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockName is the lock file of a directory.
const lockName = "graphgen.lock"

// Ages after which unlocked files are removed. A file is locked just after its creation; a
// directory of a run that was killed before it made the lock has none.
const (
	oldFile = time.Second
	oldDir  = time.Hour
)

// Dir makes a directory with the given prefix, and removes those that killed runs have left. The
// returned function removes the directory.
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
		err = os.Rename(unnamed, filepath.Join(dir, lockName)) // the lock appears with the file, atomically
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

// Sweep removes temporary files of a directory that killed runs have left.
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
