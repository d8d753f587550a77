#!/bin/sh
# stillpoint inspect change: the keys are a contract, in this order; one object for each line.
set -u
. "$SRCDIR/tests/e2e/tap.sh"

cd "$tmp" || exit 1
text=$(printf 'Words of a page that stay as they are. %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
page() {
	printf '<!DOCTYPE html><title>T</title><p>%s</p>%s' "$text" "$1"
}
page '<p>1,00</p>' >price1
page '<p>2,00</p>' >price2
page '<!-- 13:04:05 --><p>1,00</p>' >clock1
page '<!-- 13:04:09 --><p>1,00</p>' >clock2
page '<p>Page generated in 0.03 s</p>' >line1
page '<p>Page generated in 0.04 s</p>' >line2
gzip -c clock2 >clock2.gz

inspect() {
	"$STILLPOINT" inspect change "$@"
}
# change A B [TYPE] [OPTION…]: what is printed for one pair.
change() {
	printf '{"a":"%s","b":"%s","media_type":"%s"}\n' "$1" "$2" "${3:-text/html}" >pairs
	shift 2
	[ $# -eq 0 ] || shift
	inspect pairs "$@"
}

ok 'equal bytes' is "$(change price1 price1)" \
	'{"same":"bytes","rules":[],"masked_visible":0,"changed_in":[],"duties":[],"limit":null,"differs":[],"explained":[]}'
ok 'noise' is "$(change clock1 clock2)" \
	'{"same":"normalised","rules":[{"name":"comment","count":1}],"masked_visible":0,"changed_in":[],"duties":[],"limit":null,"differs":[],"explained":[{"where":"p","rule":"comment","a":"<!-- 13:04:05 -->","b":"<!-- 13:04:09 -->"}]}'
ok 'content' is "$(change price1 price2)" \
	'{"same":null,"rules":[],"masked_visible":0,"changed_in":["text"],"duties":[],"limit":null,"differs":[{"where":"p","a":"1,00","b":"2,00"}],"explained":[]}'
ok 'a packed file' is "$(change clock1 clock2.gz | cut -c 1-20)" '{"same":"normalised"'
ok 'masked text counts' is "$(change line1 line2 | sed 's/.*visible":\(0.00\).*/\1/')" 0.00
ok 'two files' is "$(inspect clock1 clock2)" "$(change clock1 clock2)"
times=2026-05-12T13:04:05Z,2026-05-12T13:09:31Z
ok 'two files with all options' is "$(inspect clock1 clock2 --media-type text/html --url http://h/ --looks $times)" \
	"$(change clock1 clock2)"
ok 'bad times' fails 2 inspect clock1 clock2 --looks yesterday
ok 'another media type' is "$(change clock1 clock2 image/png | cut -c 1-12)" '{"same":null'
ok 'a rule switched off' is \
	"$(change clock1 clock2 text/html --without-rule comment | cut -c 1-12)" '{"same":null'
{ printf '{"b":"price1","a":"price1"}\r\n\n'; printf '{"a":"price1","x":1,"b":"price2"}'; } >lines
ok 'lines' is "$(inspect lines | cut -c 1-12 | tr '\n' ' ')" '{"same":"byt {"same":null '
standard() {
	inspect - <lines | wc -l | tr -d ' '
}
ok 'standard input' is "$(standard)" 2

# broken LINE TEXT: the line is refused with this text and status 2.
broken() {
	printf '{"a":"price1","b":"price1"}\n%s\n' "$1" >pairs
	fails 2 inspect pairs 2>errors || return 1
	[ "$(wc -l <errors)" -eq 1 ] || return 1
	grep -F "pairs: line 2: $2" errors || { cat errors; return 1; }
}
ok 'no JSON' broken '{"a":"x"' 'column 9: no flat JSON object'
ok 'no object' broken '[1]' 'column 1: no flat JSON object'
ok 'nested' broken '{"a":["x"]}' 'column 6: no flat JSON object'
ok 'more behind' broken '{"a":"x","b":"y"} z' 'column 19: no flat JSON object'
ok 'no path' broken '{"a":"x"}' 'the paths "a" and "b" must be given'
ok 'a number as path' broken '{"a":1,"b":"x"}' 'the value of "a" must be a text'
ok 'no file' broken '{"a":"price1","b":"nowhere"}' 'nowhere: No such file or directory'
head -c 60 clock2.gz >cut.gz
ok 'a damaged file' broken '{"a":"price1","b":"cut.gz"}' 'cut.gz: the gzip data are damaged'

ok 'rules' is "$(inspect --list-rules | grep -c '"version":2}$')" "$(inspect --list-rules | wc -l | tr -d ' ')"
ok 'a rule' is "$(inspect --list-rules | grep -c '^{"name":"comment",')" 1
ok 'unknown rule' fails 2 inspect pairs --without-rule nonces
ok 'no argument' fails 2 inspect
ok 'no such file' fails 2 inspect nowhere
ok 'help' inspect --help
done_testing
