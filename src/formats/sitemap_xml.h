/*
 * XML sitemaps and feeds: the tokenizer of pages gives tags and texts, and what belongs to an entry
 * is gathered. No tree, no DTD, no entities but the predefined ones; nothing is ever loaded.
 *
 * Elements count by their local name, in any case, when they are in the root's namespace (whichever
 * that is, or none) or in one of those that are known; extensions (images, videos, news,
 * xhtml:link) are passed over with all they contain. Broken XML is read, too:
 *
 * (1) Everything before the first element that can be a root (urlset, sitemapindex, rss, feed, RDF)
 *     is dropped; so are comments, processing instructions and DTDs.
 * (2) "&" that begins no character reference and none of the five predefined entities is text, as
 *     is "<" that begins no markup; control characters are blanks.
 * (3) An end tag closes all elements up to its own; without one it is dropped. The root's closes
 *     the root at the end of the input only, so that whatever follows it is read.
 * (4) Elements deeper than SITEMAP_DEPTH_MAX are dropped; their text stays.
 * (5) At the end of the input the open elements are closed only if the root's end tag was there:
 *     what was cut off stays open.
 */
#ifndef FORMATS_SITEMAP_XML_H
#define FORMATS_SITEMAP_XML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/html_token.h"
#include "formats/sitemap.h"

/*
 * Between the parsers of the formats and the reader: raw entries, queued as they are found. Room
 * private to the sitemap_*.c and feed.c files.
 */

enum {
	/*
	 * Bytes of all queued addresses: those of one block, none of which is longer than what it
	 * was read from, and one that was begun before.
	 */
	SITEMAP_QUEUE_MAX = 4 << 20,
	/*
	 * Bytes of all xml:base of the elements around an address but the root's: every entry of a
	 * block may need its own copy of them.
	 */
	SITEMAP_BASE_MAX = 2 << 10,
};

/* An entry as it was written, in the queue's arena. */
struct sitemap_record {
	struct sitemap_entry entry;
	slice base; /* values of xml:base below the root, outermost first, a line each */
};

VEC_DECLARE(sitemap_records, struct sitemap_record);

struct sitemap_queue {
	struct sitemap_records records;
	size_t next;
	uint64_t overlong; /* entries dropped because of SITEMAP_LOC_MAX or SITEMAP_BASE_MAX */
	struct arena arena;
};

void sitemap_queue_init(struct sitemap_queue *q);
void sitemap_queue_release(struct sitemap_queue *q);

/* Forgets all entries and takes the memory for new ones. */
void sitemap_queue_reset(struct sitemap_queue *q);

/* Queues a copy of the entry with its loc trimmed; without one nothing. 0 or ERR_LIMIT. */
int sitemap_queue_add(
	struct sitemap_queue *q, const struct sitemap_entry *entry, slice base) SP_MUST_CHECK;

/* An entry of which nothing is known yet. */
struct sitemap_entry sitemap_entry_empty(bool is_sitemap);

/* Without blanks and line breaks around it. */
slice sitemap_trim(slice s);

enum {
	SITEMAP_DEPTH_MAX = 64,  /* real ones have 6 */
	SITEMAP_NAME_MAX = 64,   /* bytes of an element's name; one with a longer one is dropped */
	SITEMAP_SCOPES_MAX = 64, /* namespaces that are declared at one place */
};

enum sitemap_field {
	SITEMAP_FIELD_NONE,
	SITEMAP_FIELD_LOC,
	SITEMAP_FIELD_LASTMOD,
	SITEMAP_FIELD_CHANGEFREQ,
	SITEMAP_FIELD_PRIORITY,
};

struct sitemap_name {
	uint8_t len;
	char text[SITEMAP_NAME_MAX];
};

/* A namespace as far as it matters. */
struct sitemap_namespace {
	uint64_t id;  /* of its URI; 0: none */
	bool is_core; /* one that core elements have in some format */
};

/* Fields are the parser's own. */
struct sitemap_xml {
	struct html_tokenizer html;
	struct sitemap_queue *queue; /* borrowed */
	struct sitemap_open {
		struct sitemap_name name;
		bool is_record;
		bool lost;     /* an xml:base was too long: what is in it cannot be resolved */
		size_t bases;  /* length of bases around it */
		size_t scopes; /* namespaces that were declared around it */
	} open[SITEMAP_DEPTH_MAX];
	size_t depth; /* elements open */
	struct sitemap_scope {
		struct sitemap_name prefix;
		struct sitemap_namespace namespace;
	} scopes[SITEMAP_SCOPES_MAX];
	size_t scope_count;
	struct sitemap_name prefix; /* the root's */
	struct sitemap_namespace namespace;
	struct buf base;             /* the root's xml:base; to be read */
	struct buf bases;            /* xml:base of the open elements below the root, a line each */
	struct sitemap_entry record; /* loc is in the next one */
	struct buf loc;
	struct buf loc_base; /* bases where it was found */
	struct buf text;
	enum sitemap_format format; /* by the root element; to be read */
	int loc_rank, lastmod_rank; /* how good what we have is; 0 for nothing */
	enum sitemap_field field;   /* whose text is being read */
	int field_rank;
	unsigned field_depth; /* elements open inside it */
	unsigned skip;        /* elements open in what is passed over */
	int rc;
	bool index; /* the root is a sitemapindex */
	bool in_record;
	bool overlong;
	bool root_closed;   /* to be read */
	const char *damage; /* what was wrong first, or NULL; to be read */
};

void sitemap_xml_init(struct sitemap_xml *x, struct sitemap_queue *queue);
void sitemap_xml_release(struct sitemap_xml *x);

/* Queues the entries that end in the block, which is UTF-8: 0 or ERR_NOMEM. */
int sitemap_xml_feed(struct sitemap_xml *x, slice block) SP_MUST_CHECK;

/* The same for one that was begun and has its address already. */
int sitemap_xml_end(struct sitemap_xml *x) SP_MUST_CHECK;

/*
 * The bytes of a sitemap, from memory or a file, unpacked when they are gzip (RFC 1952; many
 * sitemaps are, whatever their name and headers say). Bounded: what comes out is at most
 * SITEMAP_BYTES_MAX long and, beyond the first mebibyte, at most SITEMAP_RATIO_MAX times what went
 * in.
 */

enum {
	SITEMAP_BYTES_MAX = 256 << 20,  /* unpacked; the protocol allows 50 MB */
	SITEMAP_RATIO_MAX = 200,        /* real ones stay below 50 */
	SITEMAP_RATIO_EXEMPT = 1 << 20, /* bytes before the ratio counts */
	SITEMAP_INPUT_BLOCK = 32 << 10,
};

/* Fields are the input's own. */
struct sitemap_input {
	FILE *file; /* borrowed; or */
	slice rest; /* borrowed */
	uint64_t read;
	uint64_t given;
	bool gzip;
	bool member_done; /* between two gzip members */
	bool ended;
	z_stream z;
	char block[SITEMAP_INPUT_BLOCK]; /* what z reads from */
};

#endif
