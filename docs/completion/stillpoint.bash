# bash completion for stillpoint. It asks the program, so it never falls behind it.

_stillpoint()
{
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} at=$COMP_CWORD words=

	# "--strategy=x" comes as three words.
	if [[ $word == = ]]; then
		word=
	elif [[ ${COMP_WORDS[at - 1]} == = ]]; then
		((at--))
	fi
	if ((COMP_CWORD == 1)); then
		words=$("$program" --help 2>/dev/null |
			sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p')
	elif [[ ${COMP_WORDS[at - 1]} =~ ^(-s|--strategy)$ ]]; then
		words=$("$program" plan --list-strategies 2>/dev/null | sed 's/ .*//')
	elif [[ $word == -* ]]; then
		words=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null |
			sed -n '/^ *-/s/^[^-]*\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# Arguments that are no options are files.
complete -o default -F _stillpoint stillpoint
