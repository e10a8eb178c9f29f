package main

import (
	"bytes"
	"testing"
)

func TestEveryExampleEndsAsItShould(t *testing.T) {
	repo, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		t.Run(e.graph+": "+e.what, func(t *testing.T) {
			var out bytes.Buffer
			if err := perform(t.Context(), &out, repo, e); err != nil {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}
