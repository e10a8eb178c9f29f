package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/examples/librarian"
)

const key = "sk-live-0123456789abcdef"

// asProgram has the binary of the tests be the program.
const asProgram = "LIVE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start runs the program in a process of its own, with no variables but those.
func start(t *testing.T, variables []string, args ...string) (output string, code int) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append([]string{asProgram + "=1", "HOME=" + t.TempDir()}, variables...)
	out, err := cmd.CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), failed.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

func holds(t *testing.T, output string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(output, want) {
			t.Errorf("there is no %q in\n%s", want, output)
		}
	}
}

func holdsNoKey(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, key) {
		t.Errorf("the key is in\n%s", text)
	}
}

// libraryTurns answer the question of the example, after a limit that is reached at first.
func libraryTurns() []turn {
	return []turn{
		{status: http.StatusTooManyRequests, pieces: []string{`{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`}},
		{pieces: calls("list_files", "{}", "search", `{"text":"keeper","limit":5}`)},
		{pieces: calls("read_file", `{"name":"lighthouse.md"}`), check: func(t *testing.T, r *request) {
			holds(t, r.results()["list_files"], "lighthouse.md")
			holds(t, r.results()["search"], "keeper")
		}},
		{pieces: says(`{"text":"It was `, `Ada Moen.","sources":`, `["lighthouse.md"]}`), check: func(t *testing.T, r *request) {
			holds(t, r.results()["read_file"], "Ada Moen")
		}},
	}
}

func TestOwnServer(t *testing.T) {
	url := serve(t, key, libraryTurns()...)
	recording := filepath.Join(t.TempDir(), "run.jsonl")
	output, code := start(t, []string{"OPENAI_BASE_URL=" + url, "OPENAI_API_KEY=" + key, "LIBRARIAN_MODEL=otter-7b"}, "-record", recording, "-price", "1,10")
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	holds(t, output,
		"otter-7b of openai is asked: "+librarian.Question,
		`calls  search {"text":"keeper","limit":5}`, "found  list_files: ", `says   {"text":"It was Ada Moen."`,
		"\nIt was Ada Moen.\nsources: lighthouse.md\n",
		"completed: 4 model calls, 1500 tokens in (0 of them from the cache), 60 out; 3 tool calls of which 0 failed; 0.0021 US dollars")
	holdsNoKey(t, output)

	made, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	holdsNoKey(t, string(made))
	tape, err := record.Open(made)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := librarian.Ask(t.Context(), tape.Model(nil), librarian.Shelf(), librarian.Question, record.Run(tape, nil))
	if err != nil || tape.Done() != nil || answer.Text != "It was Ada Moen." {
		t.Errorf("the replay says %q, %v and %v", answer.Text, err, tape.Done())
	}
}

func TestOwnFolder(t *testing.T) {
	folder := t.TempDir()
	if err := errors.Join(
		os.WriteFile(filepath.Join(folder, "otters.txt"), []byte("Otters hold hands."), 0o600),
		os.Symlink("/etc/passwd", filepath.Join(folder, "away.txt")),
	); err != nil {
		t.Fatal(err)
	}
	url := serve(t, key,
		turn{pieces: calls("read_file", `{"name":"away.txt"}`, "list_files", "{}", "search", `{"text":"hands","limit":1}`)},
		turn{pieces: says(`{"text":"They do.","sources":["otters.txt"]}`), check: func(t *testing.T, r *request) {
			holds(t, r.results()["read_file"], "escapes")
			holds(t, r.results()["search"], "Otters hold hands.")
			holds(t, string(r.Messages[1].Content), "Do otters hold hands?")
		}})
	output, code := start(t, []string{"OPENAI_BASE_URL=" + url, "OPENAI_API_KEY=" + key}, "-model", "otter-7b", "Do otters hold hands?", folder)
	if code != 0 {
		t.Errorf("exit %d", code)
	}
	holds(t, output, "\nThey do.\nsources: otters.txt\n", "failed read_file: ")
}

// TestProviders has each of them refuse the key, and repeat it.
func TestProviders(t *testing.T) {
	body := map[string]string{
		"openai":    `{"error":{"message":"no such key: ` + key + `","type":"invalid_request_error","code":"invalid_api_key"}}`,
		"anthropic": `{"type":"error","error":{"type":"authentication_error","message":"no such key: ` + key + `"}}`,
		"gemini":    `{"error":{"code":401,"message":"no such key: ` + key + `","status":"UNAUTHENTICATED"}}`,
	}
	header := map[string]string{"openai": "Authorization", "anthropic": "X-Api-Key", "gemini": "X-Goog-Api-Key"}
	address := map[string]string{"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}
	for _, p := range providers {
		t.Run(p.name, func(t *testing.T) {
			asked := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				if !strings.Contains(r.Header.Get(header[p.name]), key) {
					t.Errorf("%s has no key", r.URL)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = w.Write([]byte(body[p.name]))
			}))
			defer s.Close()
			output, code := start(t, []string{p.variables[0] + "=" + key, address[p.name] + "=" + s.URL})
			if code != 1 || asked != 1 {
				t.Errorf("exit %d after %d calls", code, asked)
			}
			holds(t, output, p.model+" of "+p.name+" is asked", "failed: 1 model calls", "no such key: ")
			holdsNoKey(t, output)
		})
	}
}

func TestWhatCannotBeAsked(t *testing.T) {
	for name, c := range map[string]struct {
		variables, args []string
		says            string
	}{
		"nobody is there to ask":     {nil, nil, "set one of OPENAI_API_KEY, OPENAI_BASE_URL, ANTHROPIC_API_KEY, GEMINI_API_KEY"},
		"a provider that is unknown": {nil, []string{"-provider", "otters"}, `there is no provider "otters"`},
		"a provider without its key": {[]string{"OPENAI_API_KEY=" + key}, []string{"-provider", "anthropic"}, "set ANTHROPIC_API_KEY"},
		"a question without quotes":  {nil, []string{"who", "was", "it"}, "quote the question"},
		"a price of one number":      {nil, []string{"-price", "3"}, "it is not two numbers"},
		"a folder that is not there": {[]string{"OPENAI_API_KEY=" + key}, []string{"who?", "/nowhere/at/all"}, "no such file"},
		"a recording without a place": {[]string{"OPENAI_API_KEY=" + key, "OPENAI_BASE_URL=http://127.0.0.1:1"},
			[]string{"-record", "/nowhere/at/all"}, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			output, code := start(t, c.variables, c.args...)
			if code != 1 {
				t.Errorf("exit %d", code)
			}
			holds(t, output, c.says)
			holdsNoKey(t, output)
		})
	}
}
