package diag

import "strings"

// A Help is what to do about a finding: words, and suggestions among them. It is put together like any text, of words and of what Set
// and the functions after it return, which is a suggestion between marks that no file has. String writes it for a graph in YAML; another
// front end writes the suggestions in its own language.
type Help string

// A Suggestion is a part of a help that each front end writes in its own way, or that an editor can do.
type Suggestion struct {
	Form       Form   // what is shown
	Key, Value string // as the form says; a value is as YAML has it between brackets
	Fix        Fix    // the change that it is at the place of the diagnostic; empty: it is shown alone
}

// A Form is what a suggestion shows.
type Form byte

const (
	Setting  Form = 's' // Key with Value; without Value, the key alone
	Entry    Form = 'e' // Value, as an entry of a list has it: an edge, or a flag with settings
	Field    Form = 'f' // Key, a field of the type Value
	Type     Form = 't' // Value, a type
	Name     Form = 'n' // Value, a name that may be meant, with what is before it in Key
	Phrase   Form = 'p' // Key, words
	Variants Form = 'v' // Key, words for a graph in YAML, or Value, words for one in Go
)

// A Fix is a change of a file that a suggestion describes.
type Fix string

const (
	Adding    Fix = "add"     // write Key with Value into the mapping at the place
	Replacing Fix = "replace" // write Key instead of the key at the place
	Renaming  Fix = "rename"  // write Value instead of the name at the place
	Removing  Fix = "remove"  // remove the key, the entry or the flag at the place
	Quoting   Fix = "quote"   // put quotes around the text at the place
	Unquoting Fix = "unquote" // leave out the quotes around the text at the place
)

// The marks around a suggestion in a help, and between its parts.
const (
	opens, parts, closes = "\x02", "\x1f", "\x03"
)

func (s Suggestion) marked() string {
	return opens + string(s.Form) + parts + s.Key + parts + s.Value + parts + string(s.Fix) + closes
}

// Set suggests a key with a value.
func Set(key, value string) string { return Suggestion{Form: Setting, Key: key, Value: value}.marked() }

// Key suggests a key alone.
func Key(key string) string { return Suggestion{Form: Setting, Key: key}.marked() }

// Add suggests to add a key with a value to the mapping at the place of the diagnostic.
func Add(key, value string) string {
	return Suggestion{Form: Setting, Key: key, Value: value, Fix: Adding}.marked()
}

// Instead suggests a key with a value instead of the key at the place of the diagnostic.
func Instead(key, value string) string {
	return Suggestion{Form: Setting, Key: key, Value: value, Fix: Replacing}.marked()
}

// Rename suggests a key with a value, the name to write at the place of the diagnostic.
func Rename(key, value string) string {
	return Suggestion{Form: Setting, Key: key, Value: value, Fix: Renaming}.marked()
}

// Item suggests an entry of a list: an edge, or a flag with settings.
func Item(value string) string { return Suggestion{Form: Entry, Value: value}.marked() }

// Declare suggests a field of a type.
func Declare(name, typ string) string { return Suggestion{Form: Field, Key: name, Value: typ}.marked() }

// OfType suggests a type.
func OfType(typ string) string { return Suggestion{Form: Type, Value: typ}.marked() }

// DidYouMean suggests the name nearest to that at the place of the diagnostic.
func DidYouMean(name string) string { return DidYouMeanAfter("", name) }

// DidYouMeanAfter suggests the name nearest to that at the place of the diagnostic, and shows what is before it.
func DidYouMeanAfter(before, name string) string {
	return Suggestion{Form: Name, Key: before, Value: name, Fix: Renaming}.marked()
}

// Remove suggests in words to remove what is at the place of the diagnostic.
func Remove(words string) string {
	return Suggestion{Form: Phrase, Key: words, Fix: Removing}.marked()
}

// Quote suggests in words to put quotes around the text at the place of the diagnostic.
func Quote(words string) string { return Suggestion{Form: Phrase, Key: words, Fix: Quoting}.marked() }

// Unquote suggests in words to leave out the quotes around the text at the place of the diagnostic.
func Unquote(words string) string {
	return Suggestion{Form: Phrase, Key: words, Fix: Unquoting}.marked()
}

// Either has words for a graph in YAML, and words for one in Go.
func Either(yaml, golang string) string {
	return Suggestion{Form: Variants, Key: yaml, Value: golang}.marked()
}

// String is the help of a graph in YAML.
func (h Help) String() string { return string(h.Write(Suggestion.String)) }

// Write returns the help as words alone: those that it has, and those that a front end writes for each suggestion.
func (h Help) Write(suggestion func(Suggestion) string) Help {
	var b strings.Builder
	for text := string(h); text != ""; {
		words, s, rest, ok := next(text)
		b.WriteString(words)
		if ok {
			b.WriteString(suggestion(s))
		}
		text = rest
	}
	return Help(b.String())
}

// Fixes returns the suggestions that an editor can do.
func (h Help) Fixes() (list []Suggestion) {
	h.Write(func(s Suggestion) string {
		if s.Fix != "" {
			list = append(list, s)
		}
		return ""
	})
	return list
}

// next cuts a text after its first suggestion, and reports false where it has none. A mark that begins none is a word.
func next(text string) (words string, s Suggestion, rest string, ok bool) {
	words, after, has := strings.Cut(text, opens)
	if !has {
		return text, s, "", false
	}
	marked, rest, _ := strings.Cut(after, closes)
	of := strings.Split(marked, parts)
	if len(of) != 4 || len(of[0]) != 1 {
		return words + opens, s, after, false
	}
	return words, Suggestion{Form(of[0][0]), of[1], of[2], Fix(of[3])}, rest, true
}

// String is the suggestion in YAML.
func (s Suggestion) String() string {
	switch s.Form {
	case Setting, Field:
		return strings.TrimSuffix(s.Key+": "+s.Value, " ")
	case Name:
		return `did you mean "` + s.Key + s.Value + `"?`
	case Phrase, Variants:
		return s.Key
	}
	return s.Value
}
