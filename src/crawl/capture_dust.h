/*
 * Duplicate URLs in a capture: pages that rules leave out, checks of the rules, and hosts that
 * mirror others.
 */
#ifndef CRAWL_CAPTURE_DUST_H
#define CRAWL_CAPTURE_DUST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/nummap.h"
#include "base/spill.h"
#include "crawl/dust.h"
#include "crawl/requests.h"
#include "crawl/settings.h"
#include "formats/url.h"
#include "text/similar.h"

struct attempt;
struct arrival;
struct answer;
struct capture;
struct catalog_dust;
struct digest;
struct found;
struct reading;

/*
 * URLs of a capture that show what another one shows (crawl/dust.h, docs/duplicates.md). Requests
 * that confirm rules are in dust_checks.c.
 */

enum { DUST_BETWEEN_MAX = 8 }; /* rules by which a URL may differ from another */

/* What a page showed; of pages that have not been visited all is 0. */
struct dust_look {
	uint64_t shown; /* hash of text, images, forms and where links lead */
	uint32_t words; /* of the text, if there is a sketch of it; else 0 */
	uint16_t status;
	uint16_t rule; /* of a page that is left out: the one that is named, plus one */
	bool has_shown;
	bool is_checked;              /* of a page that is left out: by a request */
	struct minhash_sketch sketch; /* of the text */
};

/* Fields are its own. */
struct capture_dust {
	enum crawl_dust mode;
	struct dust dust;
	struct spill looks;  /* by page */
	struct nummap shown; /* pages by what they show */
	struct nummap paths; /* visited pages by path and query, on any host */
	bool has_mirrors;    /* hosts that are left out */
	bool has_prints;     /* URLs of print versions are known: texts are needed */
	bool has_fields;     /* URLs with a query are known: pages without one are looked at */
	bool is_concluding;  /* the plainest URLs stand for their classes, visited or not */
	bool is_repeat;      /* the page that was read last shows what another one does */
	uint32_t disagreed;  /* how often pages spoke against a rule */
};

/* Buffers that the captures of a lane share. */
struct dust_scratch {
	struct buf key, other_key, text, rule;
	struct url url, other, link;
	struct dust_form form, other_form, link_form;
	int64_t formed_in;   /* capture and page of url, key and form; 0: of none */
	uint32_t formed;     /* the page */
	uint32_t formed_for; /* dust.terms at that time */
	bool formed_has;
	uint32_t rules[DUST_BETWEEN_MAX]; /* by which the two differ */
	size_t rule_count;
};

void capture_dust_init(struct capture_dust *d, const struct crawl_settings *settings);
void capture_dust_release(struct capture_dust *d);

void dust_scratch_init(struct dust_scratch *s);
void dust_scratch_release(struct dust_scratch *s);

/* ---- looks ---- */

enum dust_answer { DUST_UNKNOWN, DUST_AGREES, DUST_DISAGREES };

int dust_look_read(
	struct capture *c, uint32_t page, struct dust_look *ret, struct err *err) SP_MUST_CHECK;
int dust_look_write(struct capture *c, uint32_t page, const struct dust_look *look,
	struct err *err) SP_MUST_CHECK;

/* What a response shows that was read; the form of its page is in the scratch. */
void dust_look_take(struct capture *c, const struct reading *r, const struct digest *payload,
	struct dust_look *look);

/* Whether two pages show the same; is_print: one of them is a print version. */
enum dust_answer dust_compare(const struct dust_look *a, const struct dust_look *b, bool is_print);

/* ---- pages ---- */

/* Whether a URL that was found is left out, and by which rule, which goes to the buffer. */
int dust_decide(struct capture *c, const struct found *f, struct buf *rule, bool *ret_saved,
	struct err *err) SP_MUST_CHECK;

/* A page is taken, or left out for another one. */
int dust_note(
	struct capture *c, uint32_t page, const struct url *url, struct err *err) SP_MUST_CHECK;

/* The form of a page, into the scratch of the lane. */
int dust_form_of_page(
	struct capture *c, uint32_t page, bool *ret_has, struct err *err) SP_MUST_CHECK;

/*
 * The rules by which the URL in the scratch differs from another page, into the scratch, with the
 * form of that. *ret_known: they have the same form, and few enough rules.
 */
int dust_between(struct capture *c, uint32_t other, bool *ret_known, struct err *err) SP_MUST_CHECK;

/* Takes a page that was left out after all. */
int dust_readmit(struct capture *c, uint32_t page, const char *why, struct err *err) SP_MUST_CHECK;

/* ---- visits ---- */

/* As struct crawl_feature has them: pages are compared with others by what they show. */
int dust_wants_text(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err);
int dust_visited(struct capture *c, const struct arrival *p, struct err *err);

/* A page leads to another URL. */
int dust_redirected(
	struct capture *c, uint32_t page, const struct url *target, struct err *err) SP_MUST_CHECK;

/* What two pages say about the rules in the scratch. */
int dust_evidence(struct capture *c, enum dust_answer answer, struct err *err) SP_MUST_CHECK;

/* Withdraws a rule, and takes the pages that it left out. */
int dust_drop_rule(struct capture *c, uint32_t rule, struct err *err) SP_MUST_CHECK;

/* ---- rows of the catalog ---- */

/* Stores the rules that have changed. */
int dust_store_rules(struct capture *c, struct err *err) SP_MUST_CHECK;

/* The capture ends: counts what the rules saved or would have saved. */
int dust_conclude(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Restores a rule (0 or ERR_NOMEM), and that a page was visited. */
int dust_restore_rule(struct capture *c, const struct catalog_dust *row) SP_MUST_CHECK;
int dust_restore_visit(struct capture *c, const struct attempt *a, struct err *err) SP_MUST_CHECK;

/* ---- dust_checks.c ---- */

/* Sends the checks that rules need now. */
int dust_check_due(struct capture *c, struct err *err) SP_MUST_CHECK;
int dust_answered(struct capture *c, const struct answer *a, struct err *err) SP_MUST_CHECK;
int dust_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;

/*
 * A page, whose look is stored, shows something else than the one that stands for its class. Asks
 * for the latter once more: a page that shows something else each time says nothing about rules.
 */
int dust_doubt(struct capture *c, uint32_t page, uint32_t standing, struct err *err) SP_MUST_CHECK;
int dust_doubt_answered(struct capture *c, const struct answer *a, struct err *err) SP_MUST_CHECK;
int dust_doubt_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;

/* All visits are done: takes what was left out without being confirmed. */
int dust_close(struct capture *c, struct err *err) SP_MUST_CHECK;

/* ---- mirrors.c ---- */

/* Whether there are several hosts, and mirrors are of interest. */
bool mirrors_are_possible(const struct capture *c);

/* A page was taken: it is left out if its host mirrors another one that has it. */
int mirrors_known(
	struct capture *c, uint32_t page, const struct url *url, struct err *err) SP_MUST_CHECK;

/* A page was visited; its URL is in the scratch. */
int mirrors_visited(struct capture *c, uint32_t page, const struct dust_look *look,
	struct err *err) SP_MUST_CHECK;

/* The capture ends: stores which hosts are mirrors. */
int mirrors_conclude(struct capture *c, struct err *err) SP_MUST_CHECK;

#endif
