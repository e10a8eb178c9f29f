// Package hostile has texts that try to break out of where they are written. Every test of an output
// that has texts of authors in it runs over the same table.
package hostile

// A Text is a hostile text.
type Text struct {
	Name string
	Text string
}

// Texts are the texts that a spec can hold. YAML takes all of them in double quotes.
var Texts = []Text{
	{"an escape that clears the screen", "a\x1b[2Jb"},
	{"an escape that sets the title", "a\x1b]0;title\x07b"},
	{"an escape of one byte in Latin-1", "a\u009b2Jb"},
	{"a color that hides", "a\x1b[8mb\x1b[0m"},
	{"a bell", "a\x07b"},
	{"a carriage return", "error\rfine"},
	{"a backspace", "bad\b\b\bgood"},
	{"a form feed", "a\fb\vc"},
	{"a next line", "a\u0085b"},
	{"a text that is turned around", "a\u202etxt.exe\u202c"},
	{"separators of lines", "a\u2028# b\u2029# c"},
	{"delete", "a\x7fb"},

	{"a heading", "a\n\n# Heading\n\nb"},
	{"a heading by its underline", "a\n\nHeading\n===\n\nb"},
	{"a link", "a\n\n[click](https://evil.example/)\n\nb"},
	{"an image", "a\n\n![i](https://evil.example/i.png)\n\nb"},
	{"an autolink", "a\n\n<https://evil.example/>\n\nb"},
	{"raw HTML", "a\n\n<script>alert(1)</script>\n\nb"},
	{"raw HTML on the same line", "a <img src=x onerror=alert(1)> b"},
	{"a comment of HTML", "a <!-- b"},
	{"a list", "a\n- **removed** `all`\n- b"},
	{"a task", "a\n- [x] done\n"},
	{"a quotation", "a\n\n> b\n"},
	{"a table", "a\n\n| a | b |\n|---|---|\n| c | d |\n\n"},
	{"a fence", "a\n```\n\n# Heading\n"},
	{"a fence of tildes", "a\n\n~~~\nb"},
	{"a code span that ends", "a` **b** [c](https://evil.example/) `d"},
	{"many backticks", "a ``` b ```` c ` d"},
	{"a backtick at each end", "`a`"},
	{"a backslash at the end", "a\\"},
	{"backslashes and backticks", "a\\`**b**\\`"},
	{"a reference", "a\n\n[b]: https://evil.example/\n\n[b]"},
	{"a mention", "@everyone #1 GH-1"},
	{"a rule", "a\n\n---\n\nb"},
	{"front matter", "---\ntitle: a\n---\n"},

	{"the end of a label of Mermaid", "a\"] --> evil[\"b"},
	{"the end of a line of Mermaid", "a\"]\n    evil --> n1\n"},
	{"a directive of Mermaid", "%%{init: {'securityLevel': 'loose'}}%%"},
	{"a click of Mermaid", "a\nclick n1 \"https://evil.example/\"\n"},
	{"an entity of Mermaid", "#quot;] --> evil[#quot;"},
	{"Markdown within Mermaid", "`**a** [b](https://evil.example/)`"},
	{"a statement of Mermaid", "a;evil-->n1;"},

	{"the end of a label of DOT", "a\"]; evil [URL=\"https://evil.example/\"]; b [label=\"c"},
	{"escapes of DOT", "\\N \\G \\l \\"},
	{"a label of HTML of DOT", "<b>a</b>"},
	{"an entity of HTML", "&lt;b&gt; &amp; &#60;"},

	{"the end of a string of JSON", "a\", \"code\": \"b"},
	{"escapes of JSON", "\\u001b[2J \\n \\\""},
	{"a script within JSON", "</script><script>alert(1)</script>"},

	{"a quote and a colon of YAML", "a\": {b: c} # d"},
	{"a format", "%s %d %[1]q %!v(MISSING)"},
	{"a NUL", "a\x00b"},
	{"nothing that can be seen", "\u200b\u00a0\u2060"},
	{"blanks at both ends", " a "},
}
