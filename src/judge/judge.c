#include "judge/judge.h"

#include "judge/comparing.h"
#include "judge/pairs.h"
#include "judge/write.h"
#include "proof/rulebook.h"

enum { SETTINGS_MAX = 8 << 20 }; /* bytes */

/* One pass over an archive. */
static int read_archive(const struct judge_params *p, const char *path, enum judge_side side,
	struct judge_reading *reading, struct err *err)
{
	size_t before = reading->looks->list.len;
	int rc;

	reading->side = side;
	rc = warc_set_each(path, p->tmp_dir, judge_read_file, reading, err);
	if (rc || reading->resolving || reading->bodies || reading->looks->list.len > before)
		return rc;
	if (reading->counts->repeated)
		return err_set(err, ERR_NOTFOUND,
			"%s: it has no records that the first archive has not; give one archive "
			"to judge it alone",
			path);
	return err_set(err, ERR_NOTFOUND, "%s: there are no HTTP responses in it", path);
}

static int read_both(const struct judge_params *p, struct judge_reading *reading, struct err *err)
{
	int rc = read_archive(p, p->first, JUDGE_FIRST, reading, err);

	if (rc == 0 && p->second)
		rc = read_archive(p, p->second, JUDGE_SECOND, reading, err);
	return rc;
}

static bool has_unresolved(const struct judge_looks *looks)
{
	for (size_t i = 0; i < looks->list.len; i++)
		if (!looks->list.ptr[i].resolved)
			return true;
	return false;
}

static int read_looks(const struct judge_params *p, struct judge_looks *looks,
	struct judge_counts *counts, struct err *err)
{
	struct judge_reading reading = {.looks = looks,
		.counts = counts,
		.slack = p->slack,
		.book = p->book,
		.progress = p->progress};
	int rc = read_both(p, &reading, err);

	if (rc || !has_unresolved(looks))
		return rc;
	reading.resolving = true;
	return read_both(p, &reading, err);
}

/* Looks that differ are compared by their bodies, which are read once more. */
static int compare_looks(const struct judge_params *p, struct judge_looks *looks,
	struct judge_counts *counts, struct err *err)
{
	struct judge_reading reading = {.looks = looks, .counts = counts, .book = p->book};
	struct spill_pool pool;
	struct spill bodies;
	bool any = false;
	int rc = p->bytes_only ? 0 : err_code(err, judge_comparing_want(looks, &any));

	if (rc || !any)
		return rc;
	spill_pool_init(&pool, p->tmp_dir);
	spill_init(&bodies, &pool);
	reading.bodies = &bodies;
	rc = read_both(p, &reading, err);
	if (rc == 0)
		rc = judge_comparing_run(looks, &bodies, p->book, err);
	spill_release(&bodies);
	spill_pool_release(&pool);
	return rc;
}

int judge_run(const struct judge_params *p, struct catalog *catalog,
	struct judge_counts *ret_counts, struct err *err)
{
	struct judge_terms terms = {.two_archives = p->second};
	struct judge_looks looks;
	struct judge_pairs pairs = {0};
	struct buf settings;
	int rc;

	*ret_counts = (struct judge_counts){0};
	judge_looks_init(&looks);
	buf_init(&settings, SETTINGS_MAX);
	rc = err_code(err, rulebook_write(p->book, &settings));
	if (rc == 0)
		rc = read_looks(p, &looks, ret_counts, err);
	if (rc == 0)
		rc = compare_looks(p, &looks, ret_counts, err);
	if (rc == 0)
		rc = err_code(err, judge_pairs_find(&pairs, &looks, &terms));
	if (rc == 0)
		rc = judge_write(&(struct judge_result){&looks, &pairs, &terms, p->first,
					 slice_str(buf_str(&settings))},
			catalog, err);
	buf_release(&settings);
	judge_pairs_release(&pairs);
	judge_looks_release(&looks);
	return rc;
}
