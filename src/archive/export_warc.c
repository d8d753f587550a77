#include "archive/export_warc.h"

#include "archive/export_copier.h"
#include "base/word.h"
#include "warc/warc_reader.h"

struct joining {
	enum warc_coding coding; /* of the output */
	bool anew;               /* all records are written anew */
	struct copier *copier;
	struct copier_counts counts;
	struct output *out;
};

/* As the name of the output says; gzip unless it says something else. */
static enum warc_coding coding_of(slice path)
{
	if (word_ends(path, SLICE(".warc")))
		return WARC_CODING_PLAIN;
	return word_ends(path, SLICE(".warc.zst")) ? WARC_CODING_ZSTD : WARC_CODING_GZIP;
}

static int add_warc(
	void *context, slice name, const struct warc_source *source, uint64_t size, struct err *err)
{
	struct joining *j = context;
	enum warc_coding coding = WARC_CODING_PLAIN;
	uint64_t damaged = 0;
	bool anew = true;
	struct warc_reader *r;
	int rc = warc_reader_open_source(source, WARC_READER_UNCHECKED, &r, err);

	if (rc == 0) {
		coding = warc_reader_coding(r);
		warc_reader_close(r);
	}
	/* zstd files may have dictionaries of their own, so they are never joined as they are. */
	if (rc == 0 && !j->anew && coding == j->coding && coding != WARC_CODING_ZSTD)
		rc = copier_is_needed(source, &anew, &damaged, err);
	if (rc == 0 && !anew)
		j->counts.damaged += damaged;
	if (rc == 0)
		rc = !anew ? export_copy(source, size, output_write, j->out, err)
			   : copier_copy(j->copier, source, output_write, j->out, &j->counts, err);
	if (rc)
		err_prefix(err, "%.*s", (int)name.len, name.ptr);
	return rc;
}

int warc_export(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err)
{
	struct joining j = {
		.coding = coding_of(slice_str(out->path)),
		.anew = params->redact || params->chosen || params->compact,
		.out = out,
	};
	int rc = copier_open(j.coding, params, &j.copier, err);

	if (rc == 0 && params->compact)
		rc = copier_pack(j.copier, out, output_write, out, err);
	if (rc == 0)
		rc = export_each_file(params, add_warc, &j, counts, err);
	if (rc == 0)
		rc = copier_end(j.copier, err);
	copier_close(j.copier);
	counts->redacted = j.counts.redacted;
	counts->damaged = j.counts.damaged;
	return rc;
}
