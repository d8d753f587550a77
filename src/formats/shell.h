/*
 * Whether scripts put most of a page's content there (a shell). What the page shows without them is
 * counted as its tokens pass by: text outside of menus, headers and footers, links, pictures. So is
 * what could fill it: scripts with a source, calls in scripts of the page that load and write, and
 * elements that wait to be filled (empty, or "Loading…").
 *
 * When in doubt, it is a shell: the bytes of a shell prove nothing of what it shows. A page that
 * has its text, or no scripts but those of counters and advertisements, is never in doubt.
 */
#ifndef FORMATS_SHELL_H
#define FORMATS_SHELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "formats/html_token.h"

/*
 * What a script in a page can do to it, by the calls in its text: load data, write elements, move
 * to another page. Words only: the script is neither parsed nor run.
 */

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

/* Characters are counted without white space; one of Chinese or Japanese counts twice. */
enum {
	SHELL_SURE_MAX = 1500,  /* of text beside the place that scripts of the page fill */
	SHELL_TEXT_MAX = 400,   /* of text beside what scripts surely fill */
	SHELL_HINT_MAX = 250,   /* where <noscript> says that scripts are needed */
	SHELL_SMALL_MAX = 100,  /* where scripts may write no more than a word */
	SHELL_GUESS_MAX = 80,   /* where an element is empty and a script could fill it */
	SHELL_MAIN_MIN = 40,    /* in a main element that is no shell's */
	SHELL_EMPTY_MAX = 20,   /* where nothing shows it but scripts */
	SHELL_EDGE_MAX = 3000,  /* in menus, headers and footers: more is content */
	SHELL_SURE_LINKS = 100, /* beside the place that scripts of the page fill */
	SHELL_LINKS_MAX = 30,   /* beside what scripts surely fill */
	SHELL_FEW_LINKS = 5,    /* else */
	SHELL_PICTURES_MAX = 3, /* logos, a spinner */
	SHELL_RUN_MAX = 96,     /* bytes of a text that says "Loading…" */
	SHELL_WAIT_MAX = 40,    /* of one without "…" */
	SHELL_NAME_MAX = 32,    /* bytes of an element's name that are compared */
	SHELL_HOLES_MAX = 4,    /* empty elements whose ids are looked for in scripts */
};

/* An element that is open: from its start tag to its end tag. */
struct shell_element {
	enum html_tag tag;
	char name[SHELL_NAME_MAX]; /* of one whose tag is HTML_TAG_OTHER */
	uint32_t depth;            /* of elements of its name; 0: none is open */
	bool filled;               /* it shows something */
};

/* Fields are the reader's own. */
struct shell {
	struct shell_script script; /* what scripts in the page can do */
	uint32_t text, edge_text;   /* characters; edge: in menus, headers and footers */
	uint32_t links, edge_links;
	uint32_t pictures;
	uint32_t frames;
	uint32_t forms;
	uint32_t sources;              /* scripts with a source that is no widget's */
	bool refresh;                  /* leads elsewhere by itself */
	bool wants_script;             /* says that scripts are needed */
	bool waits;                    /* "Loading…", {{name}} */
	bool installs;                 /* "Installing…" */
	bool fetches;                  /* an attribute says where the content is loaded from */
	bool has_root;                 /* has the element that frameworks fill: <div id=root> */
	bool root_empty;               /* it is empty, or <main> */
	uint32_t main_text;            /* characters in the main element */
	bool main_hole;                /* an element inside of root is empty */
	bool hole;                     /* another element with a name is empty */
	bool frame_waits;              /* a frame has no address */
	bool hole_filled;              /* a script that loads and writes names the empty element */
	char block_id[SHELL_NAME_MAX]; /* of the element below */
	char holes[SHELL_HOLES_MAX][SHELL_NAME_MAX]; /* ids of empty elements */
	uint32_t hole_count;
	struct shell_element root, block; /* where holes are looked for */
	struct shell_element edge;        /* a menu, header or footer */
	struct shell_element beside;      /* what scripts show beside the page */
	struct shell_element hidden;      /* not shown */
	bool in_noscript;
	uint32_t run_chars; /* of the text since the last tag */
	uint32_t run_len;
	char run[SHELL_RUN_MAX];
};

void shell_init(struct shell *s);

/* Whether a script of that start tag runs; others hold data or templates. */
bool shell_runs(const struct html_token *token);

/* Takes in a token. */
void shell_token(struct shell *s, const struct html_token *token);

/* Takes in a script that runs and has ended, or the text of a noscript. */
void shell_take_script(struct shell *s, slice text, bool cut);
void shell_take_noscript(struct shell *s, slice text);

/* Whether it can be no shell any more, whatever follows. */
bool shell_is_over(const struct shell *s);

/* Whether the page that was read is one. */
bool shell_is(const struct shell *s);

#endif
