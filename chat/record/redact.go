package record

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/failure"
)

// What the forms consist of. A text may be within JSON, and that within JSON again, so a quote may follow backslashes, and a
// secret ends before one.
const (
	// start is where a name or a key begins: a word, also one that follows a character that JSON escapes.
	start = `(?:\b|\\[bfnrt]|\\u[0-9A-Fa-f]{4})`
	mark  = `\\*["']`
	// escaped is a character of a secret that JSON may escape: + / < = >
	escaped = `\\+(?:/|u00(?:2[BFbf]|3[C-Ec-e]))`
	// blank is a blank or the end of a line, which JSON may escape.
	blank = `(?:\s|\\+[nrt])`
	// value is a character of the value of a header. A backslash is of it where neither a quote nor the end of a line follows.
	value  = `(?:[^\s"',;\[\]{}\\]|` + within + `)`
	within = `\\+[^\s"'\\nrt]`
)

// A form is a form of secrets. What the groups of its expression match stays.
type form struct {
	*regexp.Regexp
	needs []string // a text without any of these, in lower case, has no such secret
}

// secrets are the forms in which keys are found in the errors of providers and tools.
var secrets = slices.Concat(
	headerForms([]string{"authorization"}, `(?:proxy-)?authorization`, `(?:(?:bearer|basic|token|digest)`+blank+`+)?`),
	headerForms([]string{"key", "token", "cookie"}, `(?:x-(?:goog-)?api-key|api[-_]?key|x-auth-token|set-cookie|cookie)`, ``),
	[]form{
		{regexp.MustCompile(`(?i)(` + start + `bearer\s+)[a-z0-9._~+/=-]{8,}`), []string{"bearer"}},
		// A URL: its password, and the keys in its query.
		{regexp.MustCompile(`(://[^\s/:@"']+:)[^\s/@"']+(@)`), []string{"://"}},
		{regexp.MustCompile(`(?i)((?:[?&]|\\u0026)` +
			`(?:key|api_?key|access_token|auth_token|token|sig|signature|x-amz-signature|x-amz-security-token)(?:=|\\+u003d))` +
			`(?:[^&\s"'#\[\\]|` + escaped + `)+`), []string{"key", "token", "sig", "\u017fig"}}, // which (?i) takes for sig
		// What keys begin with.
		{regexp.MustCompile(`(` + start + `)(?:sk|rk|pk)-[A-Za-z0-9_-]{12,}`), []string{"sk-", "rk-", "pk-"}},
		{regexp.MustCompile(`(` + start + `)AIza[A-Za-z0-9_-]{20,}`), []string{"aiza"}},
		{regexp.MustCompile(`(` + start + `)(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,` +
			`}|xox[abeprs]-[A-Za-z0-9-]{10,})`), []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "hf_", "xox"}},
		{regexp.MustCompile(`(` + start + `)(?:AKIA|ASIA)[0-9A-Z]{16}\b`), []string{"akia", "asia"}},
		{regexp.MustCompile(`(` + start + `)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`), []string{"eyj"}},
	},
)

// headerForms returns the forms of headers: in a dump of a request, or in a map of headers as JSON or Go print it. After a name in quotes,
// a value without quotes is one if it is longer than null, true and false, and no brace begins one: it may be an object. scheme is what may
// precede the secret.
func headerForms(needs []string, names, scheme string) []form {
	name, is, open, rest := `(?i)(`+start+names, blank+`*[:=]`+blank+`*`, `(?:\\*["'\[])`, `(?:[{}]|`+value+`)*`
	return []form{
		{regexp.MustCompile(name + `(?:` + is + open + `*|` + mark + is + open + `+)` + blank + `*` + scheme + `)` + value + rest), needs},
		{regexp.MustCompile(name + `(?:` + is + open + `*|` + mark + is + open + `*` + mark + `)` + blank + `*` + scheme + `)\{+` + value + rest), needs},
		{regexp.MustCompile(name + mark + is + scheme + `)` + value + `{6,}`), needs},
	}
}

// Redacted replaces in a recording what Secrets removes. The forms match it too, so that
// redacting a text twice changes nothing.
const Redacted = "REDACTED"

// Secrets returns a text without what looks like a secret: authorization and key headers, bearer
// tokens, keys and passwords in URLs, and keys of the forms that large services give out. It
// matches forms, not keys. To keep a certain secret out of recordings, write a function of your
// own, which may call this one.
func Secrets(text string) string {
	lower := strings.ToLower(text)
	for _, f := range secrets {
		if slices.ContainsFunc(f.needs, func(part string) bool { return strings.Contains(lower, part) }) {
			text = f.ReplaceAllString(text, "${1}"+Redacted+"${2}")
		}
	}
	return text
}

// A redaction takes secrets out of what is recorded, and of what is compared with that. It goes
// through a text once, however often it is sent.
type redaction struct {
	mu   sync.Mutex
	done map[string]string
}

// text returns a text as it is recorded.
func (r *redaction) text(by func(string) string, text string) string {
	if text == "" {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	clean, known := r.done[text]
	if !known {
		if by == nil {
			by = Secrets
		}
		clean = by(text)
		if r.done == nil {
			r.done = map[string]string{}
		}
		r.done[text] = clean
	}
	return clean
}

// A cleaner is a redaction by a function; nil is Secrets.
type cleaner struct {
	*redaction
	by func(string) string
}

func (c cleaner) of(text string) string { return c.text(c.by, text) }

// request returns a request as it is recorded.
func (c cleaner) request(req *chat.Request) *chat.Request {
	clean := *req
	clean.System = c.of(req.System)
	clean.Tools = c.specs(req.Tools)
	clean.Messages = slices.Clone(req.Messages)
	for i := range clean.Messages {
		clean.Messages[i] = c.message(clean.Messages[i])
	}
	return &clean
}

func (c cleaner) specs(tools []chat.ToolSpec) []chat.ToolSpec {
	clean := slices.Clone(tools)
	for i := range clean {
		clean[i].Doc, clean[i].Schema = c.of(clean[i].Doc), c.of(clean[i].Schema)
	}
	return clean
}

// message leaves alone what is opaque: a provider has sealed it, and takes it back as it was.
func (c cleaner) message(m chat.Message) chat.Message {
	m.Text = c.of(m.Text)
	m.Media = c.media(m.Media)
	m.Calls = slices.Clone(m.Calls)
	for i := range m.Calls {
		m.Calls[i].Arguments = c.of(m.Calls[i].Arguments)
	}
	m.Reasoning = slices.Clone(m.Reasoning)
	for i := range m.Reasoning {
		m.Reasoning[i].Text = c.of(m.Reasoning[i].Text)
	}
	return m
}

func (c cleaner) media(list []chat.Media) []chat.Media {
	clean := slices.Clone(list)
	for i := range clean {
		m := &clean[i]
		m.URL, m.Name = c.of(m.URL), c.of(m.Name)
		if text := c.of(string(m.Data)); text != string(m.Data) {
			m.Data = []byte(text)
		}
	}
	return clean
}

// deltas looks at the pieces together: a secret may be cut in two. Where there is one, its text is
// a single piece.
func (c cleaner) deltas(list []chat.Delta) []chat.Delta {
	for _, part := range []func(*chat.Delta) *string{
		func(d *chat.Delta) *string { return &d.Text },
		func(d *chat.Delta) *string { return &d.Reasoning },
	} {
		var whole strings.Builder
		for i := range list {
			whole.WriteString(*part(&list[i]))
		}
		clean := c.of(whole.String())
		if clean == whole.String() {
			continue
		}
		for i := range list {
			if text := part(&list[i]); *text != "" {
				*text, clean = clean, ""
			}
		}
		list = slices.DeleteFunc(list, func(d chat.Delta) bool { return d == chat.Delta{} })
	}
	return list
}

func (c cleaner) result(r chat.ToolResult) chat.ToolResult {
	return chat.ToolResult{Text: c.of(r.Text), Media: c.media(r.Media)}
}

// failure returns an error as it is recorded, with the errors that it wraps.
func (c cleaner) failure(f *failure.Failure) *failure.Failure {
	if f == nil {
		return nil
	}
	clean := *f
	clean.Message, clean.Text, clean.Path = c.of(f.Message), c.of(f.Text), c.of(f.Path)
	clean.Cause = c.failure(f.Cause)
	return &clean
}
