// Package judges_test holds that editors and clients of others understand the server of package lsp.
package judges_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// server builds graphgen.
func server(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "graphgen")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/graphgen").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// workspace copies the graph review with its scenarios and handlers into a module.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, to := range map[string]string{"review.graph.yaml": "", "review.scenarios.yaml": "", "": "go.mod"} {
		text := []byte("module example.com/review\n")
		if name != "" {
			var err error
			if text, err = os.ReadFile(filepath.Join("../../golden/review", name)); err != nil {
				t.Fatal(err)
			}
			to = name
		}
		if err := os.WriteFile(filepath.Join(dir, to), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExtensionStarts holds that the extension for VS Code starts where a file is opened that the server has diagnostics of, or a workspace has one.
func TestExtensionStarts(t *testing.T) {
	text, err := os.ReadFile("../vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ ActivationEvents []string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../vscode/extension.js")
	if err != nil {
		t.Fatal(err)
	}
	for pattern, event := range map[string]string{
		"**/*.graph.yaml": "workspaceContains:**/*.graph.yaml", "**/*.types.yaml": "workspaceContains:**/*.types.yaml", "**/*.go": "onLanguage:go",
	} {
		if !bytes.Contains(script, []byte(`"`+pattern+`"`)) {
			t.Errorf("extension.js does not serve %s", pattern)
		}
		if !slices.Contains(manifest.ActivationEvents, event) {
			t.Errorf("there is no event %s for %s: %q", event, pattern, manifest.ActivationEvents)
		}
	}
}

// TestExtensionWaits holds that the extension starts the server, which is one of the module, only where there is something of graphgen, and then once.
func TestExtensionWaits(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node: the extension is not run")
	}
	const plain = "module example.com/a\n\ngo 1.26\n"
	for name, tt := range map[string]struct {
		files                  map[string]string
		command, opened, later string
		want                   string
	}{
		"a Go module without graphgen":   {map[string]string{"go.mod": plain, "a.go": "package a\n", "a.yaml": "a: 1\n"}, "", "/w/a.go", "", "0 0"},
		"a spec that is added":           {map[string]string{"go.mod": plain}, "", "", "a.graph.yaml", "0 1"},
		"a spec":                         {map[string]string{"deep/a.graph.yaml": ""}, "", "", "b.graph.yaml", "1 1"},
		"a file of types":                {map[string]string{"a.types.yaml": ""}, "", "", "", "1 1"},
		"a module with graphgen":         {map[string]string{"go.mod": plain + "tool github.com/graphgen/graphgen/cmd/graphgen\n"}, "", "", "", "1 1"},
		"a command that is set":          {map[string]string{"go.mod": plain}, "graphgen", "", "", "1 1"},
		"a spec that is open by itself":  {nil, "", "/w/a.graph.yaml", "", "1 1"},
		"Go code in a module below":      {map[string]string{"app/go.mod": plain + "require github.com/graphgen/graphgen v0.1.0\n"}, "", "", "", "1 1"},
		"a spec of a package of npm":     {map[string]string{"node_modules/a/a.graph.yaml": ""}, "", "", "", "0 0"},
		"a file of types that is added":  {nil, "", "", "a.types.yaml", "0 1"},
		"a folder without any such file": {nil, "", "", "", "0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				file = filepath.Join(dir, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			out, err := exec.Command(node, "extension.cjs", "../vscode/extension.js", dir, tt.command, tt.opened, tt.later).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != tt.want {
				t.Errorf("the server is started %s times, before and after, want %s: %v", got, tt.want, err)
			}
		})
	}
}

// TestNeovim runs a session of neovim without a screen, where it is installed.
func TestNeovim(t *testing.T) {
	if testing.Short() {
		t.Skip("starts an editor")
	}
	nvim, err := exec.LookPath("nvim")
	if err != nil {
		t.Skip("there is no nvim: apt-get install neovim")
	}
	script, err := filepath.Abs("session.lua")
	if err != nil {
		t.Fatal(err)
	}
	dir, result := workspace(t), filepath.Join(t.TempDir(), "got.json")
	cmd := exec.Command(nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", "luafile "+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "SERVER="+server(t)+" lsp", "GOT="+result, "XDG_STATE_HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Problem, Message, Code, Hover, Definition, Second string
		Place                                             []int
		Completion                                        []string
		References                                        int
		Formatted                                         bool
	}
	if err := json.Unmarshal(text, &got); err != nil || got.Problem != "" {
		t.Fatalf("%v: %s", err, text)
	}
	if !strings.Contains(got.Message, `"criticz"`) || !strings.Contains(got.Message, `help: did you mean "critic"?`) || got.Code == "" {
		t.Errorf("the diagnostic is %q, %s", got.Message, got.Code)
	}
	if len(got.Place) != 3 || got.Place[2]-got.Place[1] != len("criticz") {
		t.Errorf("its place is %v", got.Place)
	}
	if !slices.Contains(got.Completion, "critic") || !slices.Contains(got.Completion, "end") {
		t.Errorf("the completion is %q", got.Completion)
	}
	if !strings.HasPrefix(got.Hover, "**critic** (node)") || !strings.HasPrefix(strings.TrimSpace(got.Definition), "critic:") || got.References < 5 {
		t.Errorf("it shows %q, and goes to %q, with %d references", got.Hover, got.Definition, got.References)
	}
	if !strings.Contains(got.Second, "unknown") || !got.Formatted {
		t.Errorf("the second diagnostic is %q, formatted: %v", got.Second, got.Formatted)
	}
}

// TestProtocolClient runs a session of the client that VS Code is made of. It needs node and npm, and JUDGES=1.
func TestProtocolClient(t *testing.T) {
	if os.Getenv("JUDGES") == "" {
		t.Skip("make judges runs the client")
	}
	folder, dir := installed(t), workspace(t)
	cmd := exec.Command("node", "session.mjs", dir, server(t), "lsp", "--stdio")
	cmd.Dir = folder
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, &problems)
	}
	var got struct {
		Logs, Links, Actions, Completion, Definition, References, Symbols, Lenses []string
		Capabilities                                                              []string
		Wrong                                                                     []json.RawMessage
		Hover                                                                     string
		Opened, Mended, Folds, Tokens, Formatting, Unknown, Exit                  int
		Picture                                                                   bool
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	if len(got.Logs) > 0 || got.Exit != 0 || got.Unknown != -32601 {
		t.Errorf("logs %q, exit %d, an unknown method gives %d", got.Logs, got.Exit, got.Unknown)
	}
	if got.Opened > 0 || len(got.Wrong) == 0 || got.Mended > 0 || !slices.Contains(got.Actions, `write "critic"`) {
		t.Errorf("%d diagnostics, then %s, changes %q, then %d", got.Opened, got.Wrong, got.Actions, got.Mended)
	}
	if len(got.Links) == 0 || !strings.HasSuffix(got.Links[0], ".md") {
		t.Errorf("the links are %q", got.Links)
	}
	if !slices.Contains(got.Completion, "publish") || !strings.HasPrefix(got.Hover, "**critic** (node)") || len(got.Definition) != 1 ||
		len(got.References) < 5 {
		t.Errorf("completion %q, hover %q, definition %q, references %q", got.Completion, got.Hover, got.Definition, got.References)
	}
	if !slices.Contains(got.Symbols, "nodes") || got.Folds == 0 || got.Tokens != 0 || len(got.Lenses) != 2 || !got.Picture {
		t.Errorf("symbols %q, %d folds, tokens %d, lenses %q, picture %v", got.Symbols, got.Folds, got.Tokens, got.Lenses, got.Picture)
	}
}

// installed returns a folder with the client, which npm installs once for each list of versions.
func installed(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s: the client is not run", tool)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range []string{"package-lock.json", "package.json", "session.mjs"} {
		if files[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	hash := sha256.Sum256(files["package-lock.json"])
	folder := filepath.Join(cache, "graphgen-judges", "editors-"+hex.EncodeToString(hash[:6]))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := filepath.Join(folder, "installed")
	if _, err := os.Stat(done); err == nil {
		return folder
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm does not install the client: %v\n%s", err, out)
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}
