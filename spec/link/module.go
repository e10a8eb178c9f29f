package link

import (
	"path"
	"path/filepath"
	"regexp"
)

// importPath returns the import path of a folder, by the nearest go.mod above it; empty: there is
// none.
func (l *Linker) importPath(dir string) string {
	if known, ok := l.modules[dir]; ok {
		return known
	}
	found := ""
	if text, err := l.read(filepath.Join(dir, "go.mod")); err == nil {
		if m := moduleLine.FindSubmatch(text); m != nil {
			found = string(m[1])
		}
	} else if up := filepath.Dir(dir); up != dir {
		if above := l.importPath(up); above != "" {
			found = path.Join(above, filepath.Base(dir))
		}
	}
	l.modules[dir] = found
	return found
}

// moduleLine matches the line of a go.mod that names the module.
var moduleLine = regexp.MustCompile(`(?m)^[ \t]*module[ \t]+"?([^\s"]+)"?`)
