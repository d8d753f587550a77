#!/bin/sh
# Each command has a manual page, and page and program name the same options.
set -u
. "$SRCDIR/tests/e2e/tap.sh"

man=$SRCDIR/docs/man

# Without roff's escapes for dashes and fonts.
page_text() {
	sed 's/\\-/-/g; s/\\f[BIRP]//g' "$man/$1.1"
}

# names_options PROGRAM COMMAND
names_options() {
	for option in $(list_options "$2" "$1"); do
		page_text "${1##*/}-$2" | grep -qE -- "(^|[^a-z-])$option($|[^a-z-])" ||
			{ echo "the page does not name $option"; return 1; }
	done
}

knows_options() {
	for option in $(page_text "$1" | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
		grep -qx -e "$option" "$tmp/options" ||
			{ echo "no command has $option"; return 1; }
	done
}

# names_command PAGE COMMAND
names_command() {
	page_text "$1" | grep -qw -e "$1-$2"
}

printf '%s\n' --help --version >"$tmp/options"
for program in "$STILLPOINT" "$LAB"; do
	ok "${program##*/}: the help lists commands" test -n "$(list_commands "$program")"
	for command in $(list_commands "$program"); do
		list_options "$command" "$program" >>"$tmp/options"
	done
done

for program in "$STILLPOINT" "$LAB"; do
	name=${program##*/}
	for command in $(list_commands "$program"); do
		page=$name-$command
		ok "$page: there is a page" test -e "$man/$page.1"
		ok "$page: has options" test -n "$(list_options "$command" "$program")"
		ok "$page: names every option" names_options "$program" "$command"
		ok "$page: names no option that is gone" knows_options "$page"
		ok "$page: $name(1) refers to it" names_command "$name" "$command"
	done
done
for page in "$man"/*.1; do
	ok "${page##*/}: has no errors" mandoc -T lint -W warning "$page"
done
done_testing
