# Completion of graphgen and go tool graphgen for fish: graphgen completion fish | source
function __graphgen_complete
    set -l words (commandline -opc)
    set -l command $words[1]
    set -e words[1]
    if test "$command" = go
        set command go tool graphgen
        set -e words[1..2]
    end
    set -l last (commandline -ct)
    $command _complete -- $words "$last" 2>/dev/null
end
function __graphgen_is_tool
    set -l words (commandline -opc)
    test (count $words) -gt 2 -a "$words[2]" = tool -a "$words[3]" = graphgen
end
complete -c graphgen -f -a '(__graphgen_complete)'
complete -c go -n __graphgen_is_tool -f -a '(__graphgen_complete)'
