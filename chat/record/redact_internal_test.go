package record

import (
	"slices"
	"strings"
	"testing"
)

// withSecrets are texts that the forms find: for each part that a form needs, one which has that part alone.
var withSecrets = func() (texts []string) {
	headers := []string{
		"authorization", "proxy-authorization", "x-api-key", "x-goog-api-key", "api-key", "api_key", "apikey", "x-auth-token", "set-cookie", "cookie",
	}
	for _, name := range headers {
		texts = append(texts, name+": 0123456", name+": {0123456}", `{"`+name+`":0123456}`, `{"`+name+`":["0123456"]}`)
	}
	queries := []string{
		"key", "apikey", "api_key", "access_token", "auth_token", "token", "sig", "signature", "\u017fig", "x-amz-signature", "x-amz-security-token",
	}
	for _, name := range queries {
		texts = append(texts, "a?"+name+"=0123456", `a\u0026`+name+`\u003d0123456`)
	}
	long := strings.Repeat("0", 24)
	for _, begins := range []string{
		"sk-", "rk-", "pk-", "AIza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_",
		"xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", "eyJ" + long + "." + long + ".",
	} {
		texts = append(texts, begins+long)
	}
	return append(texts, "bearer 01234567", "https://a:0123456@b", "AKIA"+long[:16], "ASIA"+long[:16])
}()

// TestNeedsOfForms holds that the forms find with their needs what they find in any text, in whatever letters a name is that the
// expressions take for it, and that a form needs nothing in vain.
func TestNeedsOfForms(t *testing.T) {
	folded := strings.NewReplacer("s", "\u017f", "k", "\u212a") // the letters beyond ASCII that (?i) takes for some of it
	for _, text := range withSecrets {
		for _, text := range []string{text, strings.ToUpper(text), strings.ToLower(text), folded.Replace(text)} {
			all := text
			for _, f := range secrets {
				all = f.ReplaceAllString(all, "${1}"+Redacted+"${2}")
			}
			if got := Secrets(text); got != all {
				t.Errorf("%q gives %q, not %q", text, got, all)
			}
		}
		if !strings.Contains(Secrets(text), Redacted) {
			t.Errorf("%q has no secret", text)
		}
	}
	for _, f := range secrets {
		for _, need := range f.needs {
			if !slices.ContainsFunc(withSecrets, func(text string) bool {
				return f.MatchString(text) && !slices.ContainsFunc(f.needs, func(part string) bool {
					return strings.Contains(strings.ToLower(text), part) != (part == need)
				})
			}) {
				t.Errorf("%v finds nothing that has %q alone", f.Regexp, need)
			}
		}
	}
}
