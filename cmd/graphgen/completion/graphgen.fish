# Completion of graphgen for fish: graphgen completion fish | source
function __graphgen_complete
    set -l words (commandline -opc)
    set -l command $words[1]
    set -e words[1]
    set -l last (commandline -ct)
    $command _complete -- $words "$last" 2>/dev/null
end
complete -c graphgen -f -a '(__graphgen_complete)'
