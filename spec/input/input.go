// Package input opens files that a user names or that are in a folder. Irregular files, such as
// FIFOs and devices, are refused before they are read: reading them may block or never end.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Sizes of the largest files that are read, in bytes. The largest spec is spec.MaxFile.
const (
	MaxGo        = 16 << 20 // Go files
	MaxTable     = 1 << 20  // tables of prices
	MaxRecording = 64 << 20
)

// Read returns the content of a regular file of at most the given size. The error is a
// *fs.PathError.
func Read(path string, most int64) ([]byte, error) {
	text, size, err := start(path, most)
	if err == nil && size > most {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("the file has %d bytes, more than the %d MiB that are read", size, most>>20)}
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// Start returns the first bytes of a regular file, at most the given number. The error is a
// *fs.PathError.
func Start(path string, most int64) ([]byte, error) {
	text, _, err := start(path, most)
	return text, err
}

// start returns the first bytes, and a lower bound of the size of the file.
func start(path string, most int64) (text []byte, size int64, err error) {
	return startWith(path, most, os.Stat, os.OpenFile)
}

// startWith is start with the functions of a part of the file system.
func startWith(path string, most int64, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File,
	error)) (text []byte, size int64, err error) {
	info, err := stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := regular(path, info); err != nil {
		return nil, 0, err
	}
	// O_NONBLOCK: if the file has become a FIFO in between, opening it does not block.
	file, err := open(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return nil, 0, err
	}
	if err := regular(path, info); err != nil {
		return nil, 0, err
	}
	text, err = io.ReadAll(io.LimitReader(file, most))
	return text, max(info.Size(), int64(len(text))), err
}

func regular(path string, info fs.FileInfo) error {
	if what := Irregular(info.Mode()); what != "" {
		return &fs.PathError{Op: "read", Path: path, Err: errors.New("it is " + what + ", not a regular file")}
	}
	return nil
}

// Irregular describes a file that is not regular; it returns "" for a regular one.
func Irregular(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
