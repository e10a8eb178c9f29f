// Package runtime is the folder of the packages that generated code calls: the engine, the nodes that ask models, codecs, durable runs. Nothing
// else should call them: they may change with every release, together with the compiler. Package graphgen, beside the folder, is for
// people.
package runtime

// SupportsGen1 is what code refers to that the first graphgen has generated. The compiler refuses that code: the variable is not a
// constant, and the name of its type is the message.
var SupportsGen1 code_of_an_earlier_graphgen__run_go_generate_again

type code_of_an_earlier_graphgen__run_go_generate_again struct{}
