package main

import (
	"fmt"
	"runtime/debug"
)

type versionVerb struct{}

func (versionVerb) Help() string {
	return `Generated code has a kernel generation: a module with such code builds only with a
github.com/graphgen/graphgen that supports it.
`
}

// kernelGeneration is the generation of generated code; see engine.SupportsGen6.
const kernelGeneration = 6

// Run prints the versions.
func (versionVerb) Run(t *terminal) error {
	version, goVersion := versions()
	_, err := fmt.Fprintf(t.out, "graphgen %s\n%s\nkernel generation %d\n", version, goVersion, kernelGeneration)
	return err
}

// versions returns the versions of graphgen and of Go.
func versions() (version, goVersion string) {
	version, goVersion = "(devel)", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		goVersion = info.GoVersion
		if info.Main.Version != "" {
			version = info.Main.Version
		}
	}
	return version, goVersion
}
