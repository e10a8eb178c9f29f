# Completion of graphgen for bash: source <(graphgen completion bash)
_graphgen() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("$1" _complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] && type compopt &>/dev/null; then
        compopt -o nospace
    fi
}
complete -F _graphgen graphgen
