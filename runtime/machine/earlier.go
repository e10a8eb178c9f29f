// Package machine is what code imports that an earlier graphgen has generated. The compiler refuses that code: the variables are no
// constants, and the name of their type is the message.
package machine

var SupportsGen2, SupportsGen3, SupportsGen4 code_of_an_earlier_graphgen__run_go_generate_again

type code_of_an_earlier_graphgen__run_go_generate_again struct{}
