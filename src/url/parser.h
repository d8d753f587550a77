/*
 * The basic URL parser, WHATWG URL Standard section 4.4, cut into files by its states. A state is a
 * function that reads on from p->at and returns what the next state returned: the graph of states
 * has no cycles. The serialisation is written as it is read:
 *
 *  (1) p->url->text holds the serialised parts so far, in their order;
 *  (2) while a path is built it is the end of the text, from path.at on, and every one of its
 *      segments stands behind a "/": so "shorten" cuts at the last one;
 *  (3) a "/." that keeps a path from looking like a host is put in when the path is complete.
 */
#ifndef URL_PARSER_H
#define URL_PARSER_H

#include "url/encoding.h"
#include "url/percent.h"
#include "url/url.h"

struct url_parser {
	slice in; /* stripped of blanks around it and of tabs and line breaks */
	size_t at;
	struct url *url;
	const struct url *base;        /* or NULL */
	struct url_encoding *encoding; /* of queries; NULL for UTF-8 */
	bool special;                  /* url's scheme is */
	struct err *err;
};

enum { URL_EOF = -1 };

/* The byte that many ahead of the pointer, or URL_EOF. */
static inline int url_peek(const struct url_parser *p, size_t ahead)
{
	return p->at + ahead < p->in.len ? (unsigned char)p->in.ptr[p->at + ahead] : URL_EOF;
}

/* U+002F (/), and U+005C (\) where the scheme is special. */
static inline bool url_is_slash(const struct url_parser *p, int c)
{
	return c == '/' || (c == '\\' && p->special);
}

static inline int url_fail(struct url_parser *p, const char *why)
{
	return err_set(p->err, ERR_SYNTAX, "%s", why);
}

/* Part of the text from at to its end. */
static inline struct url_part url_part_from(const struct url *u, size_t at)
{
	return (struct url_part){(uint32_t)at, (uint32_t)(u->text.len - at)};
}

/* Everything from here up to the path is written: the path begins. */
static inline void url_begin_path(struct url *u)
{
	u->authority_end = (uint32_t)u->text.len;
	u->path.at = (uint32_t)u->text.len;
}

/* parser.c: takes scheme, credentials, host and port of the base, in place of what was written. */
int url_copy_authority(struct url_parser *p);

/* Appends path, or path and query, of the base. */
int url_copy_path(struct url_parser *p);
int url_copy_path_and_query(struct url_parser *p);

/* parser_path.c */
int url_path_start_state(struct url_parser *p);
int url_path_state(struct url_parser *p);
int url_opaque_path_state(struct url_parser *p);
void url_shorten_path(struct url *u);

/*
 * The path is complete: adds "/." where it is needed, then reads the query and fragment that come
 * next, if any does.
 */
int url_end_path(struct url_parser *p);

/* Reads the "#" and the fragment, or nothing at the end. */
int url_fragment_state(struct url_parser *p);

/* parser_authority.c */
int url_authority_state(struct url_parser *p);

/* parser_file.c */
int url_file_state(struct url_parser *p);

/* "Starts with a Windows drive letter", of what begins at s; and of a segment that is one. */
bool url_is_drive(slice segment);
bool url_is_normalized_drive(slice segment);

#endif
