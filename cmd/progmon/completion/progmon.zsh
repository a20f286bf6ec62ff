#compdef progmon
# zsh completion of progmon:  progmon completion zsh > DIR-IN-FPATH/_progmon
_progmon() {
    local -a candidates
    candidates=("${(@f)$(command progmon --generate-bash-completion "${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
    candidates=("${(@)candidates:#}")
    if (( ${#candidates} )); then
        compadd -a candidates
    else
        [[ $PREFIX == --*=* ]] && compset -P '*='
        _files
    fi
}
if [[ ${funcstack[1]} == _progmon ]]; then
    _progmon "$@"
else
    compdef _progmon progmon
fi
