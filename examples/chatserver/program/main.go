// Program runs the servers of package chatserver, and a client.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/graphgen/graphgen/examples/chatserver"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		check(chatserver.Serve(os.Args[2], os.Args[3]))
		return
	}
	folder, err := os.MkdirTemp("", "chatserver")
	check(err)
	defer os.RemoveAll(folder)
	program, err := os.Executable()
	check(err)
	_, err = chatserver.Play(context.Background(), os.Stdout, func(stalls string) *exec.Cmd {
		cmd := exec.Command(program, "serve", folder, stalls)
		cmd.Stderr = os.Stderr
		return cmd
	})
	check(err)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "chatserver:", err)
		os.Exit(1)
	}
}
