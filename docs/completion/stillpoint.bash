# bash completion for stillpoint and stillpoint-lab. It asks the program, so it never falls behind it.

# What an option takes, as the help says it: "(one of a, b)", or "auto|DURATION".
_stillpoint_values()
{
	"$1" "$2" --help all 2>/dev/null | awk -v option="$3" '
		/^ +-/ {
			on = 0
			split($1 " " $2, words, /[ ,]+/)
			for (i in words) {
				name = value = words[i]
				sub(/=.*/, "", name)
				if (name == option)
					on = 1
			}
			if (on && match($0, /=[^ ]*\|[^ ]*/))
				text = text " " substr($0, RSTART + 1, RLENGTH - 1)
		}
		on { text = text " " $0 }
		END {
			gsub(/ +/, " ", text)
			if (match(text, /\(one of [^)]*\)/))
				text = substr(text, RSTART + 8, RLENGTH - 9)
			else if (match(text, /^ [^ ]*\|[^ ]*/))
				text = substr(text, RSTART, RLENGTH)
			else
				text = ""
			gsub(/[A-Z]+/, "", text) # a placeholder
			gsub(/[,|]/, " ", text)
			print text
		}'
}

# Pairs such as solar-offline and solar-online have a common name, too. The laboratory has no list.
_stillpoint_strategies()
{
	"${1%-lab}" plan --list-strategies 2>/dev/null |
		sed -n 's/^\([a-z][a-z-]*\).*/\1/; p; s/-o[a-z]*line$//p' | sort -u
}

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
			sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
	elif [[ ${COMP_WORDS[at - 1]} =~ ^(-s|--strategy)$ ]]; then
		words=$(_stillpoint_strategies "$program")
	elif [[ $word == -* ]]; then
		words=$("$program" "${COMP_WORDS[1]}" --help all 2>/dev/null |
			sed -n '/^ *-/s/^[^-]*\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')
	elif [[ ${COMP_WORDS[at - 1]} == -* ]]; then
		words=$(_stillpoint_values "$program" "${COMP_WORDS[1]}" "${COMP_WORDS[at - 1]}")
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

# Arguments that are no options are files.
complete -o default -F _stillpoint stillpoint stillpoint-lab
