package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec/subprocess"
)

// overtime is how long a process may exceed its timeout before it is killed.
const overtime = 5 * time.Second

// mostOutput bounds the output of a crashed binary that is shown.
const mostOutput = 4 << 10

// execute runs the scenarios with the binary and returns the results by scenario. The problem
// explains missing results.
func (b *builder) execute(ctx context.Context, binary, test string, plan []wire.Scenario,
	timeout time.Duration) (results map[int]*wire.Result, problem string) {
	planFile, resultsFile := filepath.Join(b.temp, "plan.json"), filepath.Join(b.temp, "results.json")
	text, err := json.Marshal(plan)
	if err == nil {
		err = os.WriteFile(planFile, text, 0o666)
	}
	if err != nil {
		return nil, err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+overtime)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.run=^"+test+"$", "-test.timeout="+timeout.String())
	cmd.Dir = b.temp
	cmd.Env = append(os.Environ(), wire.PlanVariable+"="+planFile, wire.ResultsVariable+"="+resultsFile)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	failed := subprocess.Run(ctx, cmd)
	results, begun := readResults(resultsFile)
	if failed == nil && len(results) == len(plan) {
		return results, ""
	}
	return results, b.crash(plan, results, begun, timeout, said.String(), failed)
}

// readResults reads the results, and which scenario began last.
func readResults(path string) (results map[int]*wire.Result, begun int) {
	results, begun = make(map[int]*wire.Result), -1
	text, err := os.ReadFile(path)
	if err != nil {
		return results, begun
	}
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var line wire.Line
		if d.Decode(&line) != nil { // the end, or a line cut off by a crash
			return results, begun
		}
		if line.Begin != nil {
			begun = *line.Begin
		}
		if line.Result != nil {
			results[line.Result.ID] = line.Result
		}
	}
}

// crash describes the end of a binary that did not finish.
func (b *builder) crash(plan []wire.Scenario, results map[int]*wire.Result, begun int, timeout time.Duration, said string, failed error) string {
	during := ""
	for i := range plan {
		if plan[i].ID == begun && results[begun] == nil {
			during = fmt.Sprintf(" in the scenario %q", plan[i].Name)
		}
	}
	if strings.Contains(said, "test timed out after") {
		return fmt.Sprintf("the machine did not end%s: stopped after %s", during, timeout)
	}
	said = strings.TrimSpace(said)
	if len(said) > mostOutput {
		said = said[:mostOutput] + "\n…"
	}
	how := "it made no results"
	if failed != nil {
		how = failed.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("the machine crashed%s: %s\n%s", during, how, said))
}
