// Program runs the processes of package survive, one after the other.
package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/graphgen/graphgen/examples/survive"
)

func main() {
	if len(os.Args) == 3 {
		check(survive.Process(os.Args[1], os.Args[2]))
		return
	}
	folder, err := os.MkdirTemp("", "survive")
	check(err)
	defer os.RemoveAll(folder)
	program, err := os.Executable()
	check(err)
	for _, act := range []string{"start", "answer", "recover"} {
		cmd := exec.Command(program, act, folder)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			fmt.Println("  the process was ended:", err)
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "survive:", err)
		os.Exit(1)
	}
}
