/* Captures from archives and lists, gathered by page, for `rates` and `import`. */
#ifndef CMD_RATES_INPUT_H
#define CMD_RATES_INPUT_H

#include "base/api.h"
#include "base/lists.h"
#include "import/listing.h"
#include "import/page_table.h"

/* The last look at a page, and what its state is called: the digest of the first look that had it.
 */
struct rates_look {
	listed_digest payload, state;
	listed_digest normal; /* with rule_set */
	unsigned rule_set;    /* 0: there is none */
};

VEC_DECLARE(rates_looks, struct rates_look);

/* Fields are its own but for the table. */
struct rates_input {
	struct page_table table;
	struct listing_counts counts; /* of the file that is being read */
	struct u32_vec pages;     /* of a capture: its page numbers to ours, or CATALOG_NO_PAGE */
	struct u32_vec captures;  /* of an archive */
	struct rates_looks looks; /* of an archive, by our page numbers */
};

/* Does not move afterwards. */
void rates_input_init(struct rates_input *in);
void rates_input_release(struct rates_input *in);

/* Adds the captures of a list; lines that cannot be read are told in the log. As listing_read. */
int rates_input_list(struct rates_input *in, const char *path, struct err *err) SP_MUST_CHECK;

/* Adds what an archive has seen, and what was imported into it. As archive_open_catalog. */
int rates_input_archive(struct rates_input *in, const char *path, struct err *err) SP_MUST_CHECK;

#endif
