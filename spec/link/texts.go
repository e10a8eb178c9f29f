package link

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// Texts reads the files that hold texts of prompts, and does not link the files that the spec uses.
func (l *Linker) Texts(g *spec.Graph) {
	for t := range g.Texts() {
		if at := t.Pos.In; at != nil && at.File != "" && filepath.IsAbs(t.File.V) {
			l.inPlace(t, at.File)
		}
	}
	dir := filepath.Dir(l.abs(g.File))
	root := l.root(dir)
	Texts(g, func(file string) ([]byte, error) {
		return l.below(root, filepath.Join(dir, filepath.FromSlash(file)), PromptFiles)
	})
}

// inPlace reads the file of a text that a package of another module has, where a template or a skill group of a file
// names it. No path leads there from the spec: the text is in the spec, then.
func (l *Linker) inPlace(t *spec.Text, named string) {
	root := l.root(filepath.Dir(l.abs(named)))
	below, err := filepath.Rel(root, t.File.V)
	file, name := filepath.Base(t.File.V), filepath.ToSlash(below)
	if t.Problem = impossibleText(name); t.Problem != nil {
		return
	}
	in, problem := textFile(&spec.Graph{File: t.File.V}, file, func(string) ([]byte, error) {
		if err != nil {
			return nil, &OutsideError{}
		}
		return l.below(root, t.File.V, PromptFiles)
	})
	if t.Problem = problem; problem == nil {
		t.String, t.File = spec.String{V: strings.TrimRight(in.Text, "\n"), Pos: t.Pos}, spec.String{}
	}
}

// Texts reads the files that hold texts of prompts, each once. read gets the path that is written in
// the spec. A text whose file cannot be used gets a Problem.
func Texts(g *spec.Graph, read func(file string) ([]byte, error)) {
	files := map[string]spec.Text{}
	for t := range g.Texts() {
		if t.File.V == "" {
			continue // written in the spec, or reported by the reader
		}
		file, known := files[t.File.V]
		if !known {
			file.Problem = impossibleText(t.File.V)
			if file.Problem == nil {
				file.In, file.Problem = textFile(g, t.File.V, read)
			}
			files[t.File.V] = file
		}
		t.In, t.Problem = file.In, file.Problem
		if t.Problem == nil {
			t.String = spec.String{V: strings.TrimRight(t.In.Text, "\n"), Pos: t.Pos}
		}
	}
}

// MayHoldText reports whether prompts may have the file of a path: its name has a suffix of texts, and
// no part of the path is hidden.
func MayHoldText(file string) bool {
	for part := range strings.SplitSeq(file, "/") {
		if part != "." && part != ".." && (strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_")) {
			return false
		}
	}
	return slices.Contains(spec.TextSuffixes, path.Ext(file))
}

// impossibleText returns the problem of a path that is wrong whatever its file contains.
func impossibleText(file string) *spec.Problem {
	switch {
	case filepath.IsAbs(file) || strings.HasPrefix(file, "/") || strings.ContainsAny(file, "\\:\x00"):
		return &spec.Problem{Code: "GG297", Message: "the path " + strconv.Quote(file) + " is not relative, with slashes",
			Help: "write it from the folder of this file, as in prompts/triage.md"}
	case !MayHoldText(file):
		return &spec.Problem{Code: "GG297", Message: "the file " + strconv.Quote(file) + " cannot hold the text of a prompt",
			Help: "its name ends in " + strings.Join(spec.TextSuffixes, " or ") + ", and no part of the path begins with . or _"}
	}
	return nil
}

// textFile reads the file of a text.
func textFile(g *spec.Graph, file string, read func(file string) ([]byte, error)) (*spec.TextFile, *spec.Problem) {
	source, err := read(file)
	if problem := outside(err, "GG297", file, "cannot hold the text of a prompt"); problem != nil {
		return nil, problem
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &spec.Problem{Code: "GG298", Message: "there is no file " + strconv.Quote(file), Help: "paths are relative to the folder of this file"}
	case err != nil:
		return nil, &spec.Problem{Code: "GG298", Message: "the file " + strconv.Quote(file) + " cannot be read: " + cause(err).Error(),
			Help: "name a regular file that can be read"}
	case len(source) > spec.MaxText:
		return nil, &spec.Problem{Code: "GG298", Message: fmt.Sprintf("the file %q is larger than %d MiB", file, spec.MaxText>>20),
			Help: "a prompt is far smaller; let a tool give the model what is long"}
	}
	f := &spec.TextFile{Path: filepath.Join(filepath.Dir(g.File), filepath.FromSlash(file)), Source: source}
	text := strings.TrimPrefix(string(source), "\ufeff")
	f.Text = strings.ReplaceAll(text, "\r\n", "\n")
	p := misencoded(f.Text)
	if p != nil {
		p.Pos.File = f.Path
	}
	return f, p
}

// misencoded returns the problem of a text that is not UTF-8, or has control characters.
func misencoded(text string) *spec.Problem {
	const help = "save the file as UTF-8, without control characters"
	for i, c := range text {
		width := 1
		if c == utf8.RuneError {
			_, width = utf8.DecodeRuneInString(text[i:])
		}
		message := ""
		switch {
		case i == 0 && (strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff")):
			message = "the file is UTF-16"
		case c == utf8.RuneError && width == 1:
			message = fmt.Sprintf("the byte 0x%X is not UTF-8", text[i])
		case unicode.IsControl(c) && c != '\n' && c != '\t', c == '\ufeff':
			message = fmt.Sprintf("the character %U is not allowed", c)
		default:
			continue
		}
		begin := strings.LastIndexByte(text[:i], '\n') + 1
		pos := diag.Pos{Line: strings.Count(text[:i], "\n") + 1, Col: utf8.RuneCountInString(text[begin:i]) + 1, Width: 1}
		return &spec.Problem{Code: "GG299", Message: message, Help: help, Pos: pos}
	}
	return nil
}
