# Completion of graphgen and go tool graphgen for bash: source <(graphgen completion bash)
_graphgen_offer() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("$@" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] && type compopt &>/dev/null; then
        compopt -o nospace
    fi
}
_graphgen() {
    _graphgen_offer "$1" _complete -- "${COMP_WORDS[@]:1:COMP_CWORD}"
}
_graphgen_go() {
    if [[ $COMP_CWORD -gt 2 && ${COMP_WORDS[1]} == tool && ${COMP_WORDS[2]} == graphgen ]]; then
        _graphgen_offer "$1" tool graphgen _complete -- "${COMP_WORDS[@]:3:COMP_CWORD-2}"
    elif [[ -n $_graphgen_go_before ]]; then
        "$_graphgen_go_before" "$@"
    fi
}
# The function that completes go already, if there is one.
if [[ $(complete -p go 2>/dev/null) =~ \ -F\ ([^\ ]+)\  && ${BASH_REMATCH[1]} != _graphgen_go ]]; then
    _graphgen_go_before=${BASH_REMATCH[1]}
fi
complete -F _graphgen graphgen
complete -o default -F _graphgen_go go
