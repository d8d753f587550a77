#!/bin/bash
# What bash offers after TAB is what the program knows.
set -u
. "$SRCDIR/tests/e2e/tap.sh"

# The completion asks the program by the name that was typed.
mkdir "$tmp/bin"
ln -s "$STILLPOINT" "$tmp/bin/stillpoint"
ln -s "$LAB" "$tmp/bin/stillpoint-lab"
PATH=$tmp/bin:$PATH
. "$SRCDIR/docs/completion/stillpoint.bash"

# complete_words WORD…: what is offered for the last one after $program.
program=stillpoint
complete_words() {
	COMP_WORDS=("$program" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_stillpoint
	printf '%s\n' "${COMPREPLY[@]}" | sort
}

offers_commands() {
	is "$(complete_words '')" "$(list_commands "$program" | sort)"
}

offers_options() {
	is "$(complete_words "$1" --)" "$(list_options "$1" "$program" | sort)"
}

for program in stillpoint-lab stillpoint; do
	ok "commands of $program" offers_commands
	for command in $(list_commands "$program"); do
		ok "a whole command: $program $command" is "$(complete_words "$command")" "$command"
		ok "options of $program $command" offers_options "$command"
	done
done
strategies=$("$STILLPOINT" plan --list-strategies | sed -n 's/^\(solar-[a-z]*\) .*/\1/p' | sort)
strategies=$(printf 'solar\n%s' "$strategies")
ok 'there are strategies' test -n "$strategies"
ok 'strategies' is "$(complete_words plan --strategy solar)" "$strategies"
ok 'strategies after an equals sign' is "$(complete_words plan --strategy = solar)" "$strategies"
ok 'strategies right after it' is "$(complete_words plan --strategy = | grep ^solar)" "$strategies"
ok 'strategies after the letter' is "$(complete_words plan -s solar)" "$strategies"
ok 'strategies of the laboratory' is "$(program=stillpoint-lab complete_words simulate -s solar)" "$strategies"
ok 'the default strategy' is "$(complete_words crawl -s stillpoint | head -n 1)" stillpoint
ok 'values' is "$(complete_words crawl --scope '')" "$(printf '%s\n' domain host page prefix)"
ok 'a value that has begun' is "$(complete_words crawl --scope p)" "$(printf '%s\n' page prefix)"
ok 'values after an equals sign' is "$(complete_words crawl --robots = o)" obey
ok 'values after the letter' is "$(complete_words plan -f '')" "$(printf '%s\n' csv json text)"
ok 'a value or anything else' is "$(complete_words crawl --delay '')" auto
ok 'no values' is "$(complete_words crawl --max-pages '')" ''
ok 'no strategies elsewhere' is "$(complete_words plan --graph solar)" ''
ok 'nothing for an unknown command' is "$(complete_words no-such-command --)" ''
ok 'registered' complete -p stillpoint
ok 'registered, the laboratory' complete -p stillpoint-lab
done_testing
