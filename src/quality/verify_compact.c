/* Compact looks as records: their bodies are those of records that were read before. */
#include <limits.h>

#include "archive/compact_body.h"
#include "quality/verify_run.h"

int verify_expand(const struct verify *v, const char *path, const struct compact_look *look,
	struct buf *records)
{
	const struct evidence *of = evidence_find(&v->evidence, look->attempt.original.record);
	struct compact_look placed = *look;
	struct err ignored = {0};
	struct buf dir;
	int rc;

	if (look->is_patch && (!of || of->is_compact || of->is_revisit || !of->sound))
		return ERR_NOTFOUND;
	if (look->is_patch) { /* where it was found counts, not where it was */
		placed.file = words_text(&v->words, of->file);
		placed.offset = of->offset;
	}
	buf_init(&dir, PATH_MAX);
	rc = compact_dir(path, &dir);
	if (rc == 0)
		rc = compact_records(buf_str(&dir), &placed, records, &ignored);
	buf_release(&dir);
	return rc;
}
