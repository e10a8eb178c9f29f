package main

import (
	"slices"
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range []string{"review.graph.yaml", "review.scenarios.yaml", "notes.txt", "agent/agent.graph.yaml", ".git/x.graph.yaml"} {
		write(t, ".", file, "")
	}
	tests := []struct {
		name  string
		words []string
		want  []string
	}{
		{"a verb that is begun", []string{"di"}, []string{"diff", "diagram"}},
		{"a verb of a verb", []string{"threads", "p"}, []string{"positions", "prune"}},
		{"the flags of a verb of a verb", []string{"threads", "fork", "-a"}, []string{"-at"}},
		{"the default verb's operands", []string{"rev"}, []string{"review.graph.yaml", "review.scenarios.yaml"}},
		{"and its flags", []string{"-wa"}, []string{"-watch"}},
		{"flags with as many dashes as are written", []string{"check", "--j"}, []string{"--json"}},
		{"flags of every verb behind those of the verb", []string{"check", "-co"}, []string{"-compat", "-color"}},
		{"no flag of another verb", []string{"check", "-prune"}, nil},
		{"values of a flag", []string{"diagram", "-format", ""}, []string{"mermaid", "dot", "svg", "html"}},
		{"behind an equals sign", []string{"-color=a"}, []string{"-color=auto", "-color=always"}},
		{"that bash sets apart", []string{"-color", "=", "n"}, []string{"never"}},
		{"any file for a flag that takes one", []string{"diagram", "-o", "n"}, []string{"notes.txt"}},
		{"nothing for a flag whose value nobody knows", []string{"-package", ""}, nil},
		{"an operand behind a flag and its value", []string{"diagram", "-format", "dot", "a"}, []string{"agent/"}},
		{"an operand behind a bool flag", []string{"check", "-diff", "agent/"}, []string{"agent/agent.graph.yaml"}},
		{"what is below here, written with ./", []string{"check", "./a"}, []string{"./agent/"}},
		{"as many operands as there are", []string{"diff", "a", "b", ""}, nil},
		{"any number of paths", []string{"check", "a", "b", "review.g"}, []string{"review.graph.yaml"}},
		{"codes", []string{"explain", "GG00"}, []string{"GG001", "GG002", "GG003", "GG004", "GG005", "GG006", "GG007", "GG008", "GG009"}},
		{"directories alone where one is asked for", []string{"init", ""}, []string{"agent/"}},
		{"no verb behind an operand", []string{"review.graph.yaml", "ch"}, nil},
		{"what begins with a dot when it is begun", []string{"check", ".g"}, []string{".git/"}},
		{"nothing in a directory that is not there", []string{"check", "gone/"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, c := range complete(new(commandLine).parser().Model.Node, tt.words) {
				got = append(got, c.word)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: got %q, want %q", strings.Join(tt.words, " "), got, tt.want)
			}
		})
	}
}
