package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"

	"github.com/graphgen/graphgen/scenario/temp"
	"github.com/graphgen/graphgen/spec/input"
)

// A staged file is written in full beside the one it will replace.
type staged struct {
	temp *os.File // open, and so locked, until it is renamed
	path string
}

// writeAll writes files so that each of them is there as it was or as it should be, and no
// other way: it writes and syncs all of them under other names, where a full disk or a
// missing permission shows, and only then renames one after the other.
func writeAll(ctx context.Context, files []*output) (err error) {
	var stage []staged
	defer func() {
		if err != nil {
			for _, s := range stage {
				os.Remove(s.temp.Name())
				s.temp.Close()
			}
		}
	}()
	sweep(files)
	for _, f := range files {
		temp, err := writeBeside(f)
		if err != nil {
			return fmt.Errorf("writing %s: %w; nothing was written", f.path, cause(err))
		}
		stage = append(stage, staged{temp: temp, path: f.path})
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w; nothing was written", context.Cause(ctx))
	}
	for len(stage) > 0 {
		if runtime.GOOS == "windows" { // what is open cannot be renamed
			stage[0].temp.Close()
		}
		if err := os.Rename(stage[0].temp.Name(), stage[0].path); err != nil {
			return fmt.Errorf("writing %s: %w", stage[0].path, cause(err))
		}
		stage[0].temp.Close()
		stage = stage[1:]
	}
	return nil
}

// writeOutput writes a file that the user named.
func writeOutput(ctx context.Context, path string, text []byte) error {
	o := &output{path: filepath.Clean(path), content: text}
	switch info, err := os.Stat(o.path); {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s: it is %s, not a regular file", o.path, input.Irregular(info.Mode()))
	case err == nil:
		o.mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return writeAll(ctx, []*output{o})
}

// cause drops the path of a temporary file from an error.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// writeBeside writes a file's content to a temporary file in the same directory, and returns
// it open. Its name begins with a dot and does not end in .go: one left by a crash is no
// part of the package.
func writeBeside(f *output) (*os.File, error) {
	file, err := createBeside(f.path)
	if err != nil {
		return nil, err
	}
	temp.Hold(file)
	if err := f.writeTo(file); err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, err
	}
	return file, nil
}

// writeTo writes the content, and sets the mode if the output has one.
func (f *output) writeTo(file *os.File) error {
	if _, err := file.Write(f.content); err != nil {
		return err
	}
	if f.mode != 0 {
		if err := file.Chmod(f.mode); err != nil {
			return err
		}
	}
	return file.Sync()
}

// sweep removes the temporary files of killed runs from where files are written.
func sweep(files []*output) {
	bases := map[string]map[string]bool{} // by directory
	for _, f := range files {
		dir := filepath.Dir(f.path)
		if bases[dir] == nil {
			bases[dir] = map[string]bool{}
		}
		bases[dir][filepath.Base(f.path)] = true
	}
	for dir, ours := range bases {
		temp.Sweep(dir, func(name string) bool {
			m := beside.FindStringSubmatch(name)
			return m != nil && ours[m[1]]
		})
	}
}

// beside are the names that createBeside makes for a file.
var beside = regexp.MustCompile(`^\.(.+)\.[0-9a-z]+\.tmp$`)

// createBeside creates a file with the permissions that a file created anew gets here,
// which those of os.CreateTemp are not.
func createBeside(path string) (*os.File, error) {
	for try := 0; ; try++ {
		name := "." + filepath.Base(path) + "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
		file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return file, err
		}
	}
}
