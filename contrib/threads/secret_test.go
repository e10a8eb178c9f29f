package main

import (
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/cmd/threads"
)

// arguments are those of each verb after the URL of a store.
var arguments = map[string][]string{
	"list": nil, "positions": nil, "show": {"t"}, "resume": {"t"}, "stop": {"t"}, "fork": {"t", "u"}, "export": {"t"}, "import": {"testdata/threads.jsonl"},
	"prune": {"t"}, "delete": {"t"},
}

// urls have passwords that begin with hush, of stores that cannot be reached or are not valid.
var urls = []string{
	"postgres://user:hush1@127.0.0.1:1/db?connect_timeout=2", "postgres://user:hush/1@127.0.0.1:1/db",
	"postgres://user:hush 1@127.0.0.1:1/db", "postgres://user:hush@1@127.0.0.1:1/db",
	"postgres://user:hush%zz@127.0.0.1/db", "postgres://user:hush1@127.0.0.1:port/db", "postgres://user:hush1@127.0.0.1:1/db?sslmode=unknown",
	"postgres://127.0.0.1:1/db?user=u&password=hush1&connect_timeout=2", "postgresql://user:hush'1@127.0.0.1:1/db?connect_timeout=2",
	"redis://user:hush1@127.0.0.1:1/0", "redis://:hush1@127.0.0.1:1/zero", "rediss://user:hush?1@127.0.0.1:1", "redis://user:hush#1@127.0.0.1:1",
	"mysql://user:hush1@127.0.0.1/db",
}

// TestNoPasswords holds that no verb prints the password of a URL, whatever the store's error is.
func TestNoPasswords(t *testing.T) {
	verbs := reflect.TypeFor[threads.Verb]()
	if verbs.NumField() != len(arguments) {
		t.Errorf("the test has %d verbs of %d", len(arguments), verbs.NumField())
	}
	run := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Env = append(os.Environ(), programVariable+"=1")
		out, err := cmd.CombinedOutput()
		if err == nil || len(out) == 0 {
			t.Errorf("%q has no error", args)
		}
		if strings.Contains(string(out), "hush") {
			t.Errorf("%q prints %s", args, out)
		}
	}
	for i := range verbs.NumField() {
		verb := strings.ToLower(verbs.Field(i).Name)
		for n, url := range urls {
			if testing.Short() && (n+i)%5 > 0 {
				continue
			}
			run(append([]string{verb, url}, arguments[verb]...)...)
		}
	}
	run(urls[0])
	run("list", "file:x", urls[0])
	run("list", "-status", urls[0], "file:x")
}
