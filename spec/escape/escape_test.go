package escape_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/spec/escape"
)

func TestHarmless(t *testing.T) {
	for _, c := range "a é日�€ \u00a0🦦" {
		if !escape.Harmless(c) {
			t.Errorf("%U is not harmless", c)
		}
	}
	for _, c := range "\x00\x07\b\t\n\r\x1b\x7f\u009b\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2028\u2029" {
		if escape.Harmless(c) {
			t.Errorf("%U is harmless", c)
		}
	}
}

func TestHostileTexts(t *testing.T) {
	lines := map[string]string{}
	for _, h := range hostile.Texts {
		t.Run(h.Name, func(t *testing.T) {
			for name, text := range map[string]string{
				"Visible": escape.Visible(h.Text), "Line": escape.Line(h.Text), "Code": escape.Code(h.Text),
			} {
				if strings.ContainsFunc(text, func(c rune) bool { return !escape.Harmless(c) }) {
					t.Errorf("%s gives %q", name, text)
				}
			}
			line := escape.Line(h.Text)
			if other, taken := lines[line]; taken {
				t.Errorf("Line gives %s for %q and %q", line, other, h.Text)
			}
			lines[line] = h.Text

			var plain bytes.Buffer
			e := json.NewEncoder(&plain)
			e.SetEscapeHTML(false)
			if err := e.Encode(h.Text); err != nil {
				t.Fatal(err)
			}
			escaped := escape.JSON(plain.Bytes())
			var back string
			if err := json.Unmarshal(escaped, &back); err != nil || back != h.Text {
				t.Errorf("JSON gives %s: %q, %v", escaped, back, err)
			}

			// However the text is cut.
			for cut := range len(h.Text) {
				var out bytes.Buffer
				w := escape.Writer(&out)
				for _, part := range []string{h.Text[:cut], h.Text[cut:], "."} {
					if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
						t.Errorf("wrote %d of %q: %v", n, part, err)
					}
				}
				got := strings.NewReplacer("\n", "", "\t", "").Replace(out.String())
				if strings.ContainsFunc(got, func(c rune) bool { return !escape.Harmless(c) }) || !strings.HasSuffix(got, ".") {
					t.Errorf("cut at %d, Writer gives %q", cut, &out)
				}
			}
		})
	}
}

func TestWriterKeepsText(t *testing.T) {
	const text = "żółw 検索 👩‍👩‍👧\n\ttab"
	var out bytes.Buffer
	w := escape.Writer(&out)
	for _, c := range []byte(text) {
		if _, err := w.Write([]byte{c}); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != text {
		t.Errorf("got %q", &out)
	}
	out.Reset()
	if _, err := w.Write([]byte("a\x9b2J\xffb\n")); err != nil || out.String() != "a�2J�b\n" || !utf8.Valid(out.Bytes()) {
		t.Errorf("got %q, %v", &out, err)
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		"":         "",
		"a":        "`a`",
		"a`b":      "`` a`b ``",
		"``":       "``` `` ```",
		" a ":      "`  a  `",
		"a\n\n# b": "`a\\n\\n# b`",
		"\x1b[m":   "`\\x1b[m`",
	} {
		if got := escape.Code(text); got != want {
			t.Errorf("%q gives %s, want %s", text, got, want)
		}
	}
}

// TestWord gives words to a shell, which has to read the texts back.
func TestWord(t *testing.T) {
	texts := []string{"", "a", "letter-7", "a b", "a\nb", `a\nb`, "a'b", "a\"b", "$x", "~", "#a", "a\x1b[m", "\xff1", "é",
		"a\u202eb", "-x", "=a", "a=b", "=", "*", "a\u200e'\\", "\ufffd"}
	for _, h := range hostile.Texts {
		texts = append(texts, h.Text)
	}
	shell, missing := exec.LookPath("bash")
	words := map[string]string{}
	for _, text := range texts {
		word := escape.Word(text)
		if other, taken := words[word]; taken && other != text || strings.ContainsFunc(word, func(c rune) bool { return !escape.Harmless(c) }) {
			t.Errorf("Word gives %q for %q and %q", word, text, other)
		}
		words[word] = text
		if strings.HasPrefix(word, "=") {
			t.Errorf("zsh reads %s as the path of a program", word)
		}
		if missing != nil || strings.Contains(text, "\x00") {
			continue
		}
		if back, err := exec.Command(shell, "-c", "printf %s "+"x"+word).Output(); err != nil || string(back) != "x"+text {
			t.Errorf("the shell reads %s as %q, %v", word, back, err)
		}
	}
}

func TestSecrets(t *testing.T) {
	for text, want := range map[string]string{
		"open postgres://user:hush@host/db: refused":                    "open postgres://user:xxxxx@host/db: refused",
		"`redis://:hu/s@h@host`":                                        "`redis://:xxxxx@host`",
		"host=x password=hush dbname=y":                                 "host=x password=xxxxx dbname=y",
		"password='hu sh' user=x":                                       "password=xxxxx user=x",
		"postgres://host/db?user=u&password=hush&sslmode=require":       "postgres://host/db?user=u&password=xxxxx&sslmode=require",
		"https://host:80/path":                                          "https://host:80/path",
		"mail a@b.c, the password is in the file; postgres://user@host": "mail a@b.c, the password is in the file; postgres://user@host",
	} {
		if got := escape.Secrets(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
