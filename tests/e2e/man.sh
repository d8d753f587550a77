#!/bin/sh
# Each command has a manual page, and page and program name the same options.
set -u
. "$SRCDIR/tests/e2e/tap.sh"

man=$SRCDIR/docs/man

# Without roff's escapes for dashes and fonts.
page_text() {
	sed 's/\\-/-/g; s/\\f[BIRP]//g' "$man/$1.1"
}

names_options() {
	for option in $(list_options "$1"); do
		page_text "stillpoint-$1" | grep -qE -- "(^|[^a-z-])$option($|[^a-z-])" ||
			{ echo "the page does not name $option"; return 1; }
	done
}

knows_options() {
	for option in $(page_text "stillpoint-$1" | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
		grep -qx -e "$option" "$tmp/options" ||
			{ echo "no command has $option"; return 1; }
	done
}

names_command() {
	page_text stillpoint | grep -qw -e "stillpoint-$1"
}

commands=$(list_commands)
ok 'the help lists commands' test -n "$commands"
printf '%s\n' --help --version >"$tmp/options"
for command in $commands; do
	list_options "$command" >>"$tmp/options"
done

for command in $commands; do
	ok "stillpoint-$command: there is a page" test -e "$man/stillpoint-$command.1"
	ok "stillpoint-$command: has options" test -n "$(list_options "$command")"
	ok "stillpoint-$command: names every option" names_options "$command"
	ok "stillpoint-$command: names no option that is gone" knows_options "$command"
	ok "stillpoint-$command: stillpoint(1) refers to it" names_command "$command"
done
for page in "$man"/*.1; do
	ok "${page##*/}: has no errors" mandoc -T lint -W warning "$page"
done
done_testing
