# bash completion of progmon:  source <(progmon completion bash)
_progmon() {
    local IFS=$'\n'
    COMPREPLY=($(command progmon --generate-bash-completion "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null))
}
complete -o default -F _progmon progmon
