// Package prelude has the types of the prelude: what the reasoning nodes, patterns and skills that every graph can
// use read and write. Graphs share them.
package prelude
