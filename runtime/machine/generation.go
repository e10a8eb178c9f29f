package machine

// SupportsGen2 is what code refers to that an earlier graphgen has generated. The compiler refuses that code, as it
// is no constant, and the name of its type is the message.
var SupportsGen2 code_of_an_earlier_graphgen__run_go_generate_again

type code_of_an_earlier_graphgen__run_go_generate_again struct{}
