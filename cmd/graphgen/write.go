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

// A staged file is a complete temporary file beside the file that it replaces.
type staged struct {
	temp *os.File // open, and so locked, until the rename
	path string
}

// writeAll writes files atomically. It first writes and syncs all of them under temporary names,
// where a full disk or a missing permission causes an error, and then renames them one by one.
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
		if runtime.GOOS == "windows" { // open files cannot be renamed
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

// writeOutput writes a file that the user named, or the file that a link of that name leads to.
func writeOutput(ctx context.Context, path string, text []byte) error {
	o := &output{path: filepath.Clean(path), content: text}
	if target, err := filepath.EvalSymlinks(o.path); err == nil {
		o.path = target
	}
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

// cause removes the path of a temporary file from an error.
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

// writeBeside writes the content of a file to a temporary file in the same directory, and returns
// it open. Its name begins with a dot and does not end in .go, so a file left by a crash is not
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

// writeTo writes the content, and sets the mode of the output, if any.
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

// sweep removes temporary files that killed processes have left.
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

// beside matches the names that createBeside creates.
var beside = regexp.MustCompile(`^\.(.+)\.[0-9a-z]+\.tmp$`)

// createBeside creates a temporary file with default permissions, unlike os.CreateTemp.
func createBeside(path string) (*os.File, error) {
	for try := 0; ; try++ {
		name := "." + filepath.Base(path) + "." + strconv.FormatUint(rand.Uint64(), 36) + ".tmp"
		file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return file, err
		}
	}
}
