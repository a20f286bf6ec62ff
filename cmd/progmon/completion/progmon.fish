# fish completion of progmon:  progmon completion fish > ~/.config/fish/completions/progmon.fish
function __progmon_candidates
    set -l before (commandline -opc)
    set -e before[1]
    set -l half (commandline -ct)
    command progmon --generate-bash-completion $before "$half" 2>/dev/null </dev/null
end
complete -c progmon -a '(__progmon_candidates)'
