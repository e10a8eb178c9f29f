package chat

import (
	"context"

	"github.com/graphgen/graphgen/internal/quote"
)

// A Price is what a model costs, in US dollars per million tokens.
type Price struct {
	Input      float64
	Output     float64
	CacheRead  float64 // of input that the provider had kept; 0: as Input
	CacheWrite float64 // of input that it keeps; 0: as Input
}

// Cost returns what the usage costs, in US dollars.
func (p Price) Cost(u Usage) float64 {
	if p.CacheRead == 0 {
		p.CacheRead = p.Input
	}
	if p.CacheWrite == 0 {
		p.CacheWrite = p.Input
	}
	const million = 1e6
	plain := max(0, u.Input-u.CacheRead-u.CacheWrite)
	return (float64(plain)*p.Input + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite +
		float64(u.Output)*p.Output) / million
}

// Priced returns a model that calls m and computes the cost of an answer, unless m does. The price
// is the price of m, not of another model that a request names. Each call that m makes within Retry
// and Fallback has it.
func Priced(m Model, p Price) Model { return &priced{m, p} }

type priced struct {
	Model
	price Price
}

func (m *priced) Generate(ctx context.Context, req *Request, stream func(Delta)) (*Response, error) {
	if c, ok := ctx.Value(CallerKey{}).(Caller); ok {
		ctx = &pricing{ctx, c, m.price}
	}
	resp, err := m.Model.Generate(ctx, req, stream)
	if resp == nil || resp.Usage.Cost != 0 {
		return resp, err
	}
	priced := *resp // which others may share
	priced.Usage.Cost = m.price.Cost(resp.Usage)
	return &priced, err
}

// A pricing is the context of a model with a price. The models that are called within it have the price, so that the run
// which counts their calls sees what those cost that fail.
type pricing struct {
	context.Context
	caller Caller
	price  Price
}

// Value returns the context as the caller of models.
func (p *pricing) Value(key any) any {
	if key == (CallerKey{}) {
		return p
	}
	return p.Context.Value(key)
}

// Call calls a model with the price.
func (p *pricing) Call(ctx context.Context, m Model, req *Request, stream func(Delta)) (*Response, error) {
	return p.caller.Call(ctx, &priced{m, p.price}, req, stream)
}

// PromptVersion returns the version of the prompt that the calls are made for.
func (p *pricing) PromptVersion() string {
	if v, ok := p.caller.(Versioned); ok {
		return v.PromptVersion()
	}
	return ""
}

// Unpriced returns nothing for the model itself.
func (m *priced) Unpriced(name string) string {
	if name != "" {
		return "the provider's model " + quote.Text(name)
	}
	return ""
}

// A Pricer is a Model that reports whether its answers hold their cost, which a budget of money
// needs. A model that wraps another one must have this method, or be wrapped by Priced. One
// without it counts as having no price.
type Pricer interface {
	Model
	// Unpriced returns which model has no price, of those that may answer a request whose
	// Model is the name, empty if each has one.
	Unpriced(name string) string
}

// NoPrice is what Unpriced returns of a model that has no price itself.
const NoPrice = "the model"

// Unpriced returns which model has no price, of those that may answer a request to m whose Model
// is the name. It is empty if each has one.
func Unpriced(m Model, name string) string {
	if p, ok := m.(Pricer); ok {
		return p.Unpriced(name)
	}
	if name != "" {
		return "the provider's model " + quote.Text(name)
	}
	return NoPrice
}

// Estimate returns the approximate number of tokens of a text, for budgets that must be kept
// before a provider has counted. It uses no vocabulary: up to six letters of a word are one
// token, as are three digits, three signs, and each character of languages that are written
// without spaces. Providers count differently, and differ from each other: leave room.
func Estimate(text string) int {
	tokens, run := 0, 0 // run is how many characters of the last class there are in a row
	var last class
	for _, r := range text {
		if c := classOf(r); c != last {
			tokens += last.tokens(run)
			last, run = c, 0
		}
		run++
	}
	return tokens + last.tokens(run)
}

// A class is what kind of character one is.
type class uint8

const (
	letter class = iota + 1
	digit
	sign
	space
	newline
	foreign // letters of other alphabets
	syllable
	symbol
)

// perToken is how many characters of a class in a row are a token.
var perToken = [...]int{0: 1, letter: 6, digit: 3, sign: 3, space: 16, newline: 4, foreign: 3, syllable: 1, symbol: 1}

// tokens returns the number of tokens of a run of characters of the class.
func (c class) tokens(run int) int {
	if c == space && run == 1 {
		return 0 // it belongs to the next word
	}
	return (run + perToken[c] - 1) / perToken[c]
}

func classOf(r rune) class {
	switch {
	case r|' '-'a' < 26 && r|' '-'a' >= 0:
		return letter
	case r >= '0' && r <= '9':
		return digit
	case r == '\n' || r == '\r':
		return newline
	case r <= ' ':
		return space
	case r < 0x80:
		return sign
	case r < 0x250: // English letters with accents, for the most part
		return letter
	}
	for _, s := range syllables {
		if r >= s[0] && r <= s[1] {
			return syllable
		}
	}
	if r < 0x2000 {
		return foreign
	}
	return symbol
}

// syllables are the scripts of Thai, Chinese, Japanese and Korean.
var syllables = [...][2]rune{{0xe00, 0xe7f}, {0x1100, 0x11ff}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xff66, 0xff9f}, {0x20000, 0x3ffff}}
