// Program holds one conversation over six protocols.
package main

import (
	"log"
	"os"

	"github.com/graphgen/graphgen/examples/wires"
)

func main() {
	if err := wires.Talk(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
