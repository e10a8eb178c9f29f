package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	mod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// proxy writes what a module proxy serves of the release. GOPROXY=file://… reads it.
func (r *release) proxy() error {
	for _, m := range r.modules {
		if err := r.proxyOf(m); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
	}
	fmt.Fprintf(r.log, "wrote %d modules to %s\n", len(r.modules), filepath.Join(r.out, "proxy"))
	return nil
}

func (r *release) proxyOf(m module) error {
	escaped, err := mod.EscapePath(m.path)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.out, "proxy", filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tag := m.tag(r.version)
	file := "go.mod"
	if m.dir != "" {
		file = m.dir + "/go.mod"
	}
	text, err := r.git("show", tag+":"+file)
	if err != nil {
		return err
	}
	at, err := r.git("log", "-1", "--format=%cd", "--date=format:%Y-%m-%dT%H:%M:%SZ", tag)
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct{ Version, Time string }{r.version, at})
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"list": r.version, r.version + ".info": string(info), r.version + ".mod": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o666); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(dir, r.version+".zip"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := zip.CreateFromVCS(f, mod.Version{Path: m.path, Version: r.version}, r.root, tag, m.dir); err != nil {
		return err
	}
	return f.Close()
}
