/*
 * Sitemaps (https://www.sitemaps.org/protocol.html) and what takes their place: XML sitemaps and
 * indexes, plain lists of URLs, RSS 0.9 to 2.0, Atom 0.3 and 1.0, JSON Feed; any of them packed
 * with gzip.
 * Which one it is, the bytes say, not their name. Read as a stream in bounded memory:
 *
 *	struct sitemap_reader *r;
 *	struct sitemap_entry entry;
 *	rc = sitemap_open_slice(&r, body, SLICE("https://example.org/sitemap.xml"), err);
 *	while (rc == 0 && (rc = sitemap_next(r, &entry, err)) == 0)
 *		use(&entry);
 *	if (rc == ERR_END)
 *		rc = 0;
 *	sitemap_close(r);
 *
 * Broken input is read as far as it goes: sitemap_damage says what was wrong. The limits below are
 * larger than the protocol's (50,000 entries, 50 MB, 2,048 bytes), which many sites exceed.
 * Different readers may be used by different threads.
 */
#ifndef FORMATS_SITEMAP_H
#define FORMATS_SITEMAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/w3cdate.h"

enum {
	SITEMAP_ENTRIES_MAX = 1000000,
	SITEMAP_LOC_MAX = 64 << 10, /* bytes of an address, blanks around it included */
};

enum sitemap_format {
	SITEMAP_UNKNOWN, /* nothing that could be an entry has come yet */
	SITEMAP_XML,
	SITEMAP_TEXT,
	SITEMAP_RSS,
	SITEMAP_ATOM,
	SITEMAP_JSON,
};

enum sitemap_frequency {
	SITEMAP_FREQUENCY_NONE, /* missing, or no word of the protocol */
	SITEMAP_ALWAYS,
	SITEMAP_HOURLY,
	SITEMAP_DAILY,
	SITEMAP_WEEKLY,
	SITEMAP_MONTHLY,
	SITEMAP_YEARLY,
	SITEMAP_NEVER,
};

struct sitemap_entry {
	slice loc;       /* an http or https URL in WHATWG serialisation, without fragment; valid
			  * until the next call */
	bool is_sitemap; /* the address of another sitemap, out of an index */
	bool has_lastmod;
	struct w3cdate lastmod;
	enum sitemap_frequency changefreq;
	double priority; /* 0 to 1, or NaN when missing or no such number */
};

struct sitemap_reader;

/*
 * Start to read; addresses are resolved against base, the sitemap's own URL; without one
 * ("") those that are relative are no URLs. The memory, or the
 * file from its present position, is borrowed until sitemap_close. 0, ERR_NOMEM, ERR_IO, or
 * ERR_SYNTAX for a base that is no URL.
 */
int sitemap_open_slice(
	struct sitemap_reader **ret, slice input, slice base, struct err *err) SP_MUST_CHECK;
int sitemap_open_file(
	struct sitemap_reader **ret, FILE *file, slice base, struct err *err) SP_MUST_CHECK;

/* NULL is fine. */
void sitemap_close(struct sitemap_reader *r);

/*
 * The next entry, in the order of the file. 0, or ERR_END; ERR_SYNTAX when the input has come to
 * its end without being any kind of sitemap; ERR_LIMIT when one of the limits was met (what came
 * before is good); ERR_IO; ERR_NOMEM; after these there is no going on.
 */
int sitemap_next(
	struct sitemap_reader *r, struct sitemap_entry *ret, struct err *err) SP_MUST_CHECK;

enum sitemap_format sitemap_format(const struct sitemap_reader *r);

/* What was wrong so far, for people; NULL when nothing was. Valid until the next call. */
const char *sitemap_damage(struct sitemap_reader *r);

/*
 * When the page was last modified, ns since 1970; the middle of the day where no time is given; 0
 * without a date, or for one without a day.
 */
int64_t sitemap_lastmod(const struct sitemap_entry *entry);

/* The protocol's word, NULL for none; constant. */
const char *sitemap_frequency_name(enum sitemap_frequency frequency);

/* What the word means, in any case and with blanks around it. */
enum sitemap_frequency sitemap_frequency_parse(slice word);

#endif
