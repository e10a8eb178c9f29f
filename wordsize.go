//go:build 386 || amd64p32 || arm || armbe || mips || mipsle || mips64p32 || mips64p32le || ppc || riscv || s390 || sparc

package graphgen

// An int of a spec has 64 bits, and is an int in Go. Where that has 32 bits, values would be cut
// and constants of conditions would not compile. The undefined name is the message of the compiler.
var _ = graphgen_needs_a_GOARCH_of_64_bits
