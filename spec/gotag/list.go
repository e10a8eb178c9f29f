package gotag

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/graphgen/graphgen/spec/subprocess"
)

// list returns the paths of a package's Go files, as the go command in a directory lists them for
// this machine; none where it knows no such package. The overlay is a file for the go command, or
// empty.
//
// The files are those that are written, not what cgo makes of them. Types are not asked for: they
// would need the export data of all that the package imports, for which the go command compiles it.
func list(ctx context.Context, dir, path, overlay string) []string {
	args := []string{"list", "-e", "-find", "-json=Dir,GoFiles,CgoFiles,InvalidGoFiles"}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "--", path)...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout = &out
	if subprocess.Run(ctx, cmd) != nil {
		return nil
	}
	var found struct {
		Dir                               string
		GoFiles, CgoFiles, InvalidGoFiles []string
	}
	if json.Unmarshal(out.Bytes(), &found) != nil { // none, or several packages
		return nil
	}
	files := slices.Concat(found.GoFiles, found.CgoFiles)
	if len(files) == 0 {
		files = found.InvalidGoFiles // the caller reports their mistakes
	}
	for i, name := range files {
		if !filepath.IsAbs(name) {
			files[i] = filepath.Join(found.Dir, name)
		}
	}
	return files
}

// overlayOf returns an overlay that hides the generated files of a directory, or "", and a function
// that removes it.
func overlayOf(dir string, generated []string) (path string, remove func(), err error) {
	if len(generated) == 0 {
		return "", func() {}, nil
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for _, name := range generated {
		overlay.Replace[filepath.Join(dir, name)] = ""
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", nil, err
	}
	file, err := os.CreateTemp("", "graphgen-overlay-*.json")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(file.Name()) }
	_, err = file.Write(text)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		remove()
		return "", nil, err
	}
	return file.Name(), remove, nil
}
