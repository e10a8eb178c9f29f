#compdef graphgen
# Completion of graphgen for zsh: source <(graphgen completion zsh)
_graphgen() {
    local line name
    local -a directories names shown
    while IFS= read -r line; do
        name=${line%%$'\t'*}
        if [[ $name == */ ]]; then
            directories+=("$name")
        else
            names+=("$name")
            shown+=("${line/$'\t'/  -- }")
        fi
    done < <("${words[1]}" _complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    (( ${#directories} )) && compadd -S '' -a directories
    (( ${#names} )) && compadd -l -d shown -a names
}
if [[ ${funcstack[1]} == _graphgen ]]; then
    _graphgen "$@"
else
    compdef _graphgen graphgen
fi
