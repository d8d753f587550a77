/*
 * The comparison of looks on pairs of served pages of real sites, labelled by hand: the set beside
 * the repository (../shared/data/noise), or where STILLPOINT_NOISE says. Skips when it is not
 * there. Prints how many pairs of each kind were judged the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <zlib.h>

#include "base/buf.h"
#include "proof/proof.h"
#include "tap.h"

enum { FIELDS = 13, NAME_SIZE = 64, KINDS_MAX = 128, BODY_MAX = 64 << 20, BLOCK = 64 << 10 };

/* Columns of labels.tsv. */
enum { SITE, PAGE, V1, V2, LABEL, KIND, WHY, SPLIT, VISIBLE, TRIVIAL };

/* Columns of meta.tsv. */
enum { META_SITE, META_PAGE, META_VERSION, META_TIME, META_URL = 8, META_MAX = 4096 };

struct version {
	char name[3][NAME_SIZE];
	int64_t time;
	char url[512];
};

struct tally {
	char name[NAME_SIZE];
	unsigned pairs, same;
};

struct set {
	char root[512];
	struct tally kinds[KINDS_MAX];
	size_t kind_count;
	struct tally groups[KINDS_MAX];
	size_t group_count;
	struct version versions[META_MAX];
	size_t version_count;
	unsigned with_duties; /* noise that is the same if some resources are */
	struct buf a, b;
};

static void count(struct tally *list, size_t *len, const char *name, bool same)
{
	size_t i = 0;

	while (i < *len && strcmp(list[i].name, name) != 0)
		i++;
	if (i == KINDS_MAX)
		return;
	if (i == *len) {
		(void)snprintf(list[i].name, NAME_SIZE, "%s", name);
		++*len;
	}
	list[i].pairs++;
	list[i].same += same;
}

static struct tally find(const struct set *s, const char *name)
{
	for (size_t i = 0; i < s->group_count; i++)
		if (strcmp(s->groups[i].name, name) == 0)
			return s->groups[i];
	return (struct tally){0};
}

static bool read_page(const struct set *s, char *const *row, int version, struct buf *out)
{
	char path[1024];
	gzFile file;
	int n;

	(void)snprintf(path, sizeof path, "%s/pages/%s/%s/%s.html.gz", s->root, row[SITE],
		row[PAGE], row[version]);
	file = gzopen(path, "rb");
	buf_reset(out);
	if (!file) {
		tap_note("%s cannot be read", path);
		return false;
	}
	while (buf_reserve(out, BLOCK) == 0 && (n = gzread(file, out->ptr + out->len, BLOCK)) > 0)
		buf_truncate(out, out->len + (size_t)n);
	return gzclose_r(file) == Z_OK;
}

/* What the pair counts for: some labels are reported apart. */
static const char *group_of(char *const *row)
{
	if (strcmp(row[LABEL], "noise") == 0)
		return row[VISIBLE][0] == 'y' ? "noise, visible" : "noise";
	if (strcmp(row[LABEL], "content") != 0)
		return row[LABEL];
	if (strcmp(row[KIND], "variant-flap") == 0 || strcmp(row[KIND], "page-swap") == 0)
		return "content, old and new in turn";
	return row[TRIVIAL][0] == 'y' ? "content, trivial" : "content";
}

static void report_pair(char *const *row, const struct proof *c)
{
	tap_note("%s %s: %s %s %s-%s: %s%s%s", row[LABEL], row[KIND], row[SITE], row[PAGE], row[V1],
		row[V2], c->same ? "judged the same" : "judged changed", c->limit ? ": " : "",
		c->limit ? c->limit : "");
	for (size_t i = 0, shown = 0; i < c->places.len && shown < 12; i++) {
		const struct proof_place *p = &c->places.ptr[i];

		if (!c->same && p->rule.ptr)
			continue;
		shown++;
		tap_note("  %.160s [%.*s] %.120s -> %.120s", p->where.ptr, slice_shown(p->rule, 40),
			p->rule.ptr ? p->rule.ptr : "", p->a.ptr ? p->a.ptr : "(none)",
			p->b.ptr ? p->b.ptr : "(none)");
	}
}

static const struct version *version_of(const struct set *s, char *const *row, int version)
{
	for (size_t i = 0; i < s->version_count; i++)
		if (strcmp(s->versions[i].name[0], row[SITE]) == 0 &&
			strcmp(s->versions[i].name[1], row[PAGE]) == 0 &&
			strcmp(s->versions[i].name[2], row[version]) == 0)
			return &s->versions[i];
	return &s->versions[META_MAX - 1];
}

static struct proof_params params_of(const struct set *s, char *const *row, bool swapped)
{
	const struct version *a = version_of(s, row, V1), *b = version_of(s, row, V2);
	struct proof_look x = {buf_slice(&s->a), SLICE("text/html"), a->time};
	struct proof_look y = {buf_slice(&s->b), SLICE("text/html"), b->time};

	return (struct proof_params){
		.a = swapped ? y : x, .b = swapped ? x : y, .url = slice_str(a->url), .all = true};
}

static void judge(struct set *s, char *const *row)
{
	const char *group = group_of(row);
	struct proof_params forth, back;
	char kind[NAME_SIZE];
	struct proof c, d;
	bool same;

	if (!CHECK(read_page(s, row, V1, &s->a) && read_page(s, row, V2, &s->b)))
		return;
	forth = params_of(s, row, false);
	back = params_of(s, row, true);
	CHECK_INT(proof_compare(&forth, &c), 0);
	CHECK_INT(proof_compare(&back, &d), 0);
	CHECK_INT(c.same, d.same);
	CHECK(c.same != PROOF_NORMALISED || c.rules.len > 0);
	same = c.same != PROOF_DIFFERENT;
	s->with_duties += same && strcmp(row[LABEL], "noise") == 0 && c.duties.len > 0;
	(void)snprintf(kind, sizeof kind, "%s: %s", group, row[KIND]);
	count(s->kinds, &s->kind_count, kind, same);
	count(s->groups, &s->group_count, group, same);
	if (strncmp(group, same ? "content" : "noise", 5) == 0 || getenv("STILLPOINT_NOISE_ALL"))
		report_pair(row, &c);
	proof_release(&c);
	proof_release(&d);
}

static void split(char *line, char **row)
{
	static char none[1];

	line[strcspn(line, "\r\n")] = '\0';
	for (int i = 0; i < FIELDS; i++)
		row[i] = line ? strsep(&line, "\t") : none;
}

static void read_versions(struct set *s)
{
	char path[600], line[8192];
	char *row[FIELDS];
	FILE *meta;

	(void)snprintf(path, sizeof path, "%s/meta.tsv", s->root);
	meta = fopen(path, "r");
	if (!meta)
		return;
	while (fgets(line, sizeof line, meta) && s->version_count < META_MAX - 1) {
		struct version *v = &s->versions[s->version_count];
		struct tm tm = {0};

		split(line, row);
		for (int i = 0; i < 3; i++)
			(void)snprintf(v->name[i], NAME_SIZE, "%s", row[i]);
		(void)snprintf(v->url, sizeof v->url, "%s", row[META_URL]);
		if (!strptime(row[META_TIME], "%Y-%m-%dT%H:%M:%S", &tm))
			continue;
		v->time = (int64_t)timegm(&tm) * 1000000000;
		s->version_count++;
	}
	(void)fclose(meta);
}

static bool read_set(struct set *s)
{
	const char *given = getenv("STILLPOINT_NOISE");
	char path[600], line[8192];
	char *row[FIELDS];
	FILE *labels;

	if (given)
		(void)snprintf(s->root, sizeof s->root, "%s", given);
	else
		(void)snprintf(s->root, sizeof s->root, "%s/../shared/data/noise", tap_srcdir());
	(void)snprintf(path, sizeof path, "%s/labels.tsv", s->root);
	labels = fopen(path, "r");
	if (!labels) {
		tap_skip("%s is not there", path);
		return false;
	}
	read_versions(s);
	if (fgets(line, sizeof line, labels))
		while (fgets(line, sizeof line, labels)) {
			split(line, row);
			judge(s, row);
		}
	(void)fclose(labels);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct tally *)a)->name, ((const struct tally *)b)->name);
}

static void print_tallies(struct tally *list, size_t len)
{
	qsort(list, len, sizeof *list, by_name);
	for (size_t i = 0; i < len; i++)
		tap_note("%-46s %4u of %4u the same", list[i].name, list[i].same, list[i].pairs);
}

int main(int argc, char **argv)
{
	struct set *s = calloc(1, sizeof *s);
	bool there;

	tap_init(argc, argv);
	if (!s)
		return 1;
	buf_init(&s->a, BODY_MAX);
	buf_init(&s->b, BODY_MAX);
	tap_case("the set can be read");
	there = read_set(s);
	if (there) {
		struct tally noise = find(s, "noise");

		print_tallies(s->kinds, s->kind_count);
		print_tallies(s->groups, s->group_count);
		tap_case("no change of content is taken for the same page");
		CHECK_INT(find(s, "content").same, 0);
		CHECK_INT(find(s, "content, trivial").same, 0);
		CHECK_INT(find(s, "content, old and new in turn").same, 0);
		CHECK(find(s, "content").pairs > 0);
		tap_case("equal bytes are the same page");
		CHECK_INT(find(s, "same").same, find(s, "same").pairs);
		tap_case("at least 65 %% of the noise is explained");
		noise.pairs += find(s, "noise, visible").pairs;
		noise.same += find(s, "noise, visible").same;
		tap_note("noise: %u of %u, %u of them with duties", noise.same, noise.pairs,
			s->with_duties);
		CHECK(noise.pairs > 0 && noise.same * 100 >= noise.pairs * 65);
	}
	buf_release(&s->a);
	buf_release(&s->b);
	free(s);
	return tap_done();
}
