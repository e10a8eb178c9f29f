package machine

// SupportsGen2 and SupportsGen3 are what code refers to that an earlier graphgen has generated. The compiler refuses that
// code, as they are no constants, and the name of their type is the message.
var SupportsGen2, SupportsGen3 code_of_an_earlier_graphgen__run_go_generate_again

type code_of_an_earlier_graphgen__run_go_generate_again struct{}
