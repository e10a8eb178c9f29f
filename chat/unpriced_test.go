package chat_test

import (
	"context"
	"testing"

	"github.com/graphgen/graphgen/chat"
)

func TestWhichModelHasNoPrice(t *testing.T) {
	plain := chat.ModelFunc(func(context.Context, *chat.Request, func(chat.Delta)) (*chat.Response, error) { return nil, nil })
	priced := chat.Priced(plain, chat.Price{Input: 1})
	free := chat.Priced(plain, chat.Price{})
	for _, c := range []struct {
		name  string
		model chat.Model
		asked string // the model that the request names
		want  string
	}{
		{"a model", plain, "", chat.NoPrice},
		{"a priced one", priced, "", ""},
		{"one that costs nothing", free, "", ""},
		{"another one of a priced one's provider", priced, "big", `the provider's model "big"`},
		{"another one of a provider", plain, "big", `the provider's model "big"`},
		{"a priced one that is tried again", chat.Retry(priced, chat.Backoff{}), "", ""},
		{"one that is tried again", chat.Retry(plain, chat.Backoff{}), "", chat.NoPrice},
		{"what is tried again has a price", chat.Priced(chat.Retry(plain, chat.Backoff{}), chat.Price{Input: 1}), "", ""},
		{"a chain", chat.Fallback(priced, free), "", ""},
		{"a chain whose second has none", chat.Fallback(priced, plain), "", "the model at place 2 of a fallback"},
		{"a chain whose first has none", chat.Fallback(plain, priced), "", "the model at place 1 of a fallback"},
		{"a chain in a chain", chat.Retry(chat.Fallback(priced, chat.Retry(chat.Fallback(free, plain), chat.Backoff{})), chat.Backoff{}),
			"", "the model at place 2 of a fallback at place 2 of a fallback"},
		{"the name is the first one's", chat.Fallback(priced, priced), "big", `the provider's model "big" at place 1 of a fallback`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := chat.Unpriced(c.model, c.asked); got != c.want {
				t.Errorf("%q has no price, want %q", got, c.want)
			}
		})
	}
}
