/* What scripts import, and what only looks like it. */
#include "formats/link_values.h"

#include "base/buf.h"
#include "formats/media_type.h"
#include "tap.h"

enum { MAX = 4096 };

static const struct {
	const char *in;
	const char *want; /* specifiers, blanks behind them */
} rows[] = {
	{"", ""},
	{"import './a.js'", "./a.js "},
	{"import\"./a.js\";import'./b.js'", "./a.js ./b.js "},
	{"import a from './a.js'", "./a.js "},
	{"import a, {b as c, d} from \"./a.js\";", "./a.js "},
	{"import * as a from './a.js'", "./a.js "},
	{"import {a}from'./a.js';import{b}from'./b.js'", "./a.js ./b.js "},
	{"import {\n a, // one\n b /* from './no.js' */\n} from './a.js'", "./a.js "},
	{"import from from './a.js'", "./a.js "},
	{"export * from './a.js'; export * as b from './b.js'; export {c} from './c.js'",
		"./a.js ./b.js ./c.js "},
	{"export {a}; export default 1; export const b = './no.js', from = './no.js'", ""},
	{"import('./a.js'); import( /* x */ \"./b.js\" ); import(`./c.js`)",
		"./a.js ./b.js ./c.js "},
	{"import(a + './no.js'); import(`./${no}.js`); x.import('./no.js')", ""},
	{"const important = './no.js', reimport = './no.js'; important('./no.js')", ""},
	{"import.meta.url; new URL('./no.js', import.meta.url)", ""},
	{"// import './no.js'\n/* import './no.js' */ import './a.js'", "./a.js "},
	{"s = \"import './no.js'\"; t = 'import \\'./no.js'; u = `import './no.js'`", ""},
	{"r = /import '.no.js'/; q = a / b; import './a.js'; z = a / c", "./a.js "},
	{"r = /[/'\"]/; import './a.js'", "./a.js "},
	{"return /'/; import './a.js'", "./a.js "},
	{"import './a.js' with {type: 'json'}", "./a.js "},
	{"import a from './no", ""},
	{"import {a from ; './no.js'", ""},
	{"import 'react'; import '/a.js'; import 'https://x.example/b.js'",
		"react /a.js https://x.example/b.js "},
	{"\"use strict\";function f(){return import('./a.js')}", "./a.js "},
	{"import", ""},
	{"import(", ""},
	{"export {", ""},
};

static void check_imports(size_t i)
{
	struct script_imports imports;
	struct buf got;
	slice specifier;

	buf_init(&got, MAX);
	script_imports_init(&imports, slice_str(rows[i].in));
	while (script_imports_next(&imports, &specifier))
		(void)buf_printf(&got, "%.*s ", (int)specifier.len, specifier.ptr);
	CHECK_STR(buf_str(&got), rows[i].want);
	buf_release(&got);
}

static void test_sniff(void)
{
	static const struct {
		const char *in;
		enum sniffed want;
	} starts[] = {
		{"", SNIFFED_TEXT},
		{"<!DOCTYPE html>", SNIFFED_HTML},
		{"\n\t <HtMl lang=en>", SNIFFED_HTML},
		{"<!doctype html", SNIFFED_TEXT},
		{"<!-- -->", SNIFFED_HTML},
		{"<!--x", SNIFFED_TEXT},
		{"<a href=x>", SNIFFED_HTML},
		{"<abbr>", SNIFFED_TEXT},
		{"<h1>", SNIFFED_HTML},
		{"<h2>", SNIFFED_TEXT},
		{"<?xml version='1.0'?>", SNIFFED_XML},
		{"text <p>", SNIFFED_TEXT},
		{"\xef\xbb\xbf<html>", SNIFFED_TEXT},
		{"GIF89a\x01", SNIFFED_BINARY},
		{"\x1b[0m text", SNIFFED_TEXT},
	};

	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		CHECK_INT(sniff(slice_str(starts[i].in)), starts[i].want);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("imports: %s", rows[i].in);
		check_imports(i);
	}
	tap_case("what a body is by its first bytes");
	test_sniff();
	return tap_done();
}
