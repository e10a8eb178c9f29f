//go:build !unix

package scenario

import (
	"context"
	"os/exec"
)

// runGroup runs a command, which is killed when the context ends.
func runGroup(ctx context.Context, cmd *exec.Cmd) error {
	cmd.WaitDelay = grace
	return cmd.Run()
}
