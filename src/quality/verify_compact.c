/* Compact looks as records: their bodies are those of records that were read before. */
#include <limits.h>

#include "archive/compact.h"
#include "archive/patch.h"
#include "archive/record_body.h"
#include "http/fields.h"
#include "quality/verify_run.h"

/* Directory of a file; "." without one. */
static int add_dir(const char *path, struct buf *out)
{
	const char *slash = strrchr(path, '/');

	return slash ? buf_add(out, (slice){path, (size_t)(slash - path)}) : buf_add_char(out, '.');
}

/* The body that a patch makes of that of the response which the look names. */
static int make_body(const struct verify *v, const char *path, const struct compact_look *look,
	struct buf *out)
{
	const struct evidence *of = evidence_find(&v->evidence, look->attempt.original.record);
	struct record_place place = {.id = look->attempt.original.record};
	struct err ignored = {0};
	struct buf from, dir;
	int rc;

	if (!of || of->is_compact || of->is_revisit || !of->sound)
		return ERR_NOTFOUND;
	place.file = words_text(&v->words, of->file);
	place.offset = of->offset;
	buf_init(&from, PATCH_BYTES_MAX + FIELDS_HEAD_MAX);
	buf_init(&dir, PATH_MAX);
	rc = add_dir(path, &dir);
	if (rc == 0)
		rc = record_body_read(buf_str(&dir), &place, &from, &ignored);
	if (rc == 0)
		rc = patch_apply(buf_slice(&from), look->patch, look->body_size, out);
	buf_release(&dir);
	buf_release(&from);
	return rc && rc != ERR_NOMEM ? ERR_NOTFOUND : rc;
}

int verify_expand(const struct verify *v, const char *path, const struct compact_look *look,
	struct buf *records)
{
	struct buf body;
	int rc = 0;

	buf_init(&body, PATCH_BYTES_MAX + 1);
	if (look->is_patch)
		rc = make_body(v, path, look, &body);
	if (rc == 0)
		rc = compact_expand(look, buf_slice(&body), records, NULL);
	buf_release(&body);
	return rc;
}
