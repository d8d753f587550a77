/*
 * What a script in a page can do to it, by the calls in its text: load data, write elements, move
 * to another page. Words only: the script is neither parsed nor run.
 */
#ifndef FORMATS_SHELL_SCRIPT_H
#define FORMATS_SHELL_SCRIPT_H

#include <stdbool.h>

#include "base/slice.h"

/* All of the scripts that were read. */
struct shell_script {
	bool runs;          /* there is a script that does more than count visitors */
	bool loads;         /* asks for data, or for other scripts */
	bool writes;        /* puts text or elements into the page */
	bool writes_blocks; /* more than a word: rows, paragraphs, the whole body */
	bool leaves;        /* leads to another page */
	bool registers;     /* a service worker, which may answer in the page's place */
	bool sets_source;   /* gives an address to a frame, a picture or a script */
};

/* Takes in the text of a script, or of an attribute such as onload. cut: it was longer. */
void shell_script_read(struct shell_script *s, slice text, bool cut);

/* Whether a script of that address counts visitors, or shows what is beside a page's content. */
bool shell_script_is_widget(slice address);

#endif
