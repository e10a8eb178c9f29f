package anthropic_test

import (
	"context"
	"fmt"
	"log"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/contrib/anthropic"
)

// The answer is told as it comes.
func ExampleNew() {
	model, err := anthropic.New("claude-sonnet-4-6", anthropic.AdaptiveThinking(), anthropic.Effort("low"))
	if err != nil {
		log.Fatal(err)
	}
	answer, err := model.Generate(context.Background(), &chat.Request{
		System:   "You are terse.",
		Messages: []chat.Message{chat.UserText("Name three otters.")},
	}, func(d chat.Delta) { fmt.Print(d.Text) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("\ntokens:", answer.Usage.Tokens())
}

// A server of one's own that speaks the Messages API, and needs no key.
func ExampleNew_localServer() {
	model, err := anthropic.New("llama3", anthropic.BaseURL("http://localhost:8080"), anthropic.Key(""),
		anthropic.OutputByInstruction())
	if err != nil {
		log.Fatal(err)
	}
	_ = model
}
