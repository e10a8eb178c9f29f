package link

import (
	"path"
	"path/filepath"
	"regexp"
)

// importPath returns the path by which the package of a folder is imported: that of the
// nearest module above it, and the way from there. It is empty where there is no module.
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

// moduleLine is the line of a go.mod that names the module.
var moduleLine = regexp.MustCompile(`(?m)^[ \t]*module[ \t]+"?([^\s"]+)"?`)
