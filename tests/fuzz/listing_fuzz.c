/*
 * Lists of captures in every format: any bytes are read or refused with a sentence; what comes out
 * has a URL and a time that can be; pages stay in order of time, within their bounds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/listing.h"
#include "archive/page_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int add(void *context, const struct listed *o, struct err *err)
{
	require(o->url.ptr && o->url.len > 0 && o->status <= 999);
	return err_code(err, page_table_add(context, o, 1));
}

static void check(const struct page_table *t)
{
	struct rate_intervals intervals = {0};

	for (size_t i = 0; i < t->pages.len; i++) {
		const struct page_entry *p = &t->pages.ptr[i];
		struct page_summary s;
		uint32_t captures = 0; /* others are what sitemaps say */

		for (uint32_t k = 0; k < p->len; k++) {
			captures += p->seen[k].digest || !p->seen[k].modified;
			require(k == 0 || p->seen[k - 1].time < p->seen[k].time);
		}
		require(p->len <= PAGE_TABLE_KEEP && captures <= p->captures);
		s = page_entry_intervals(p, page_entry_lies(p) ^ 3U, &intervals);
		require(s.changes <= p->captures && s.compared <= p->captures);
	}
	rate_intervals_release(&intervals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("listing", MFD_CLOEXEC);
	struct listing_counts counts;
	struct page_table table;
	struct err err = {0};
	char path[64];
	int rc;

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	page_table_init(&table);
	rc = listing_read(path, add, &table, &counts, &err);
	require(rc == 0 || (err.code == rc && err.text[0] != '\0'));
	check(&table);
	page_table_release(&table);
	(void)close(fd);
	return 0;
}
