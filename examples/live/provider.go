package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/anthropic"
	"github.com/graphgen/graphgen/contrib/gemini"
	"github.com/graphgen/graphgen/contrib/openai"
)

// modelVariable names the model where the flag -model does not.
const modelVariable = "LIBRARIAN_MODEL"

// A provider is one line: the variables that choose it, its default model, and how to make
// that. Keys and addresses are read by the providers' packages.
type provider struct {
	name      string
	variables []string // any of them chooses it
	model     string
	open      func(model string) (chat.Model, error)
}

// providers are in the order in which they are chosen where several could be.
var providers = []provider{
	{"openai", []string{"OPENAI_API_KEY", "OPENAI_BASE_URL"}, "gpt-5-mini", func(m string) (chat.Model, error) { return openai.New(m) }},
	{"anthropic", []string{"ANTHROPIC_API_KEY"}, "claude-sonnet-4-6", func(m string) (chat.Model, error) { return anthropic.New(m) }},
	{"gemini", []string{"GEMINI_API_KEY"}, "gemini-3.1-pro-preview", func(m string) (chat.Model, error) { return gemini.New(m) }},
}

// choose returns the provider of that name or, where it is empty, the first that the
// environment has a variable of.
func choose(name string) (provider, error) {
	var variables []string
	for _, p := range providers {
		if p.name == name || name == "" && slices.ContainsFunc(p.variables, func(v string) bool { return os.Getenv(v) != "" }) {
			return p, nil
		}
		variables = append(variables, p.variables...)
	}
	if name != "" {
		return provider{}, fmt.Errorf("there is no provider %q", name)
	}
	return provider{}, errors.New("there is no model to ask: set one of " + strings.Join(variables, ", "))
}

// modelOf makes a model of the provider, and returns a description of it. An empty name is the name of the
// environment, or the provider's own.
func (p provider) modelOf(name string, price *chat.Price) (chat.Model, string, error) {
	name = cmp.Or(name, os.Getenv(modelVariable), p.model)
	model, err := p.open(name)
	if err != nil {
		return nil, "", err
	}
	if price != nil {
		model = chat.Priced(model, *price)
	}
	return chat.Retry(model, chat.Backoff{}), name + " of " + p.name, nil
}

// readPrice reads the value of the flag -price.
func readPrice(text string) (*chat.Price, error) {
	in, out, _ := strings.Cut(text, ",")
	var p chat.Price
	for field, text := range map[*float64]string{&p.Input: in, &p.Output: out} {
		price, err := strconv.ParseFloat(text, 64)
		if err != nil || price < 0 || math.IsNaN(price) || math.IsInf(price, 0) {
			return nil, errors.New("it is not two numbers, as in 0.25,2")
		}
		*field = price
	}
	return &p, nil
}
