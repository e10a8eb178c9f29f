#compdef graphgen
# Completion of graphgen and go tool graphgen for zsh: source <(graphgen completion zsh)
_graphgen_offer() {
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
    done < <("$@" 2>/dev/null)
    (( ${#directories} )) && compadd -S '' -a directories
    (( ${#names} )) && compadd -l -d shown -a names
}
_graphgen() {
    _graphgen_offer "${words[1]}" _complete -- "${(@)words[2,CURRENT]}"
}
_graphgen_go() {
    if (( CURRENT > 3 )) && [[ ${words[2]} == tool && ${words[3]} == graphgen ]]; then
        _graphgen_offer "${words[1]}" tool graphgen _complete -- "${(@)words[4,CURRENT]}"
    elif [[ -n $_graphgen_go_before ]]; then
        "$_graphgen_go_before" "$@"
    fi
}
if [[ ${funcstack[1]} == _graphgen ]]; then
    _graphgen "$@"
else
    # The function that completes go already, if there is one.
    if [[ -n ${_comps[go]} && ${_comps[go]} != _graphgen_go ]]; then
        typeset -g _graphgen_go_before=${_comps[go]}
    fi
    compdef _graphgen graphgen
    compdef _graphgen_go go
fi
