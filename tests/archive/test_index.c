/* The index of an archive: what is merged into an old one is the same as all of it written anew. */
#include "archive/index.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "tap.h"

enum { TEXT_MAX = 64 << 20, CAPTURES = 3, PAGES = 400 };

struct place {
	struct directory d;
	struct catalog *catalog;
};

static void add_capture(struct catalog *c, unsigned number)
{
	struct catalog_capture row = {.uuid = SLICE("urn:uuid:1"),
		.site = SLICE("http://example.org/"),
		.strategy = SLICE("bfs"),
		.settings = SLICE(""),
		.state = CATALOG_FINISHED,
		.addresses = CATALOG_NO_ADDRESSES};
	uint32_t id;

	CHECK_INT(catalog_add_capture(c, &row, &id, NULL), 0);
	for (uint32_t n = 0; n < PAGES; n++) {
		int64_t at = INT64_C(1767225600000000000) + INT64_C(1000000000) * (n / 3 + number);
		char url[80];
		struct catalog_page page = {.number = n,
			.kind = SLICE("page"),
			.via = CATALOG_NO_PAGE,
			.taken = true,
			.rule = SLICE("rule")};
		struct attempt a = {.page = n,
			.leg = ATTEMPT_VISIT,
			.number = 1,
			.status = 200,
			.wall = {at, at, at},
			.has_payload = true,
			.media_type = SLICE("text/html"),
			.warc = SLICE("a.warc.gz"),
			.offset = n * 100 + number,
			.length = 100,
			.record_id = SLICE("<urn:uuid:2>")};

		(void)snprintf(url, sizeof url, "http://h%u.example/%u", n * 7 % 50, n % 90);
		page.url = slice_str(url);
		a.payload.kind = DIGEST_SHA256;
		CHECK_INT(catalog_put(c, CATALOG_ROW_ADD_PAGE, id, &page, NULL), 0);
		CHECK_INT(catalog_add_observation(c, id, &a, NULL), 0);
	}
}

static void open_place(struct place *p)
{
	char path[200];

	(void)snprintf(path, sizeof path, "%s/archive", tap_tempdir());
	CHECK_INT(directory_open(&p->d, path, true, NULL), 0);
	CHECK_INT(catalog_open(p->d.catalog, CATALOG_CREATE, &p->catalog, NULL), 0);
}

static void read_index(const struct place *p, struct buf *ret)
{
	FILE *file = fopen(p->d.index, "rb");
	char chunk[4096];
	size_t n;

	buf_reset(ret);
	while (file && (n = fread(chunk, 1, sizeof chunk, file)) > 0)
		CHECK_INT(buf_add(ret, (slice){chunk, n}), 0);
	if (file)
		(void)fclose(file);
}

static void write_index(const struct place *p, slice text)
{
	FILE *file = fopen(p->d.index, "wb");

	CHECK_INT((int64_t)fwrite(text.ptr, 1, text.len, file), (int64_t)text.len);
	CHECK_INT(fclose(file), 0);
}

/* What becomes of the old index before lines are added. */
enum old { AS_IT_IS, MISSING, EMPTY, CUT, UNSORTED, NO_LINE, TWICE, OLDS };

static void damage(const struct place *p, enum old how, struct buf *text)
{
	slice all = buf_slice(text), first = slice_take(&all, '\n');
	struct buf other;

	first.len++;
	buf_init(&other, TEXT_MAX);
	switch (how) {
	case MISSING:
		CHECK_INT(unlink(p->d.index), 0);
		break;
	case EMPTY:
		write_index(p, (slice){"", 0});
		break;
	case CUT:
		write_index(p, (slice){text->ptr, text->len - 30});
		break;
	case UNSORTED:
		CHECK_INT(buf_add(&other, all), 0);
		CHECK_INT(buf_add(&other, first), 0);
		write_index(p, buf_slice(&other));
		break;
	case NO_LINE:
		CHECK_INT(buf_add(&other, first), 0);
		CHECK_INT(buf_add_str(&other, "com,zzz)/ what is this\n"), 0);
		write_index(p, buf_slice(&other));
		break;
	case TWICE:
		CHECK_INT(buf_add(&other, first), 0);
		CHECK_INT(buf_add(&other, buf_slice(text)), 0);
		write_index(p, buf_slice(&other));
		break;
	case AS_IT_IS:
	case OLDS:
		break;
	}
	buf_release(&other);
}

static int count_one(void *context, const struct catalog_verdict *v)
{
	(void)v;
	++*(int64_t *)context;
	return 0;
}

static int64_t count_verdicts(struct catalog *c, uint32_t capture)
{
	int64_t count = 0;

	CHECK_INT(catalog_each_verdict(c, capture, count_one, &count, NULL), 0);
	return count;
}

static void test_added(void)
{
	static const char *const NAMES[] = {"as it is", "missing", "empty", "cut", "not sorted",
		"a line that is none", "twice"};
	struct buf want, old, got;

	buf_init(&want, TEXT_MAX);
	buf_init(&old, TEXT_MAX);
	buf_init(&got, TEXT_MAX);
	for (enum old how = AS_IT_IS; how < OLDS; how++) {
		struct place p;

		tap_case("added to an index: %s", NAMES[how]);
		open_place(&p);
		for (unsigned i = 1; i < CAPTURES; i++)
			add_capture(p.catalog, i);
		CHECK_INT(index_write(p.catalog, &p.d, NULL), 0);
		read_index(&p, &old);
		damage(&p, how, &old);
		add_capture(p.catalog, CAPTURES);
		CHECK_INT(index_add(p.catalog, &p.d, CAPTURES, CAPTURES, NULL), 0);
		CHECK_INT(count_verdicts(p.catalog, CAPTURES), PAGES);
		CHECK_INT(count_verdicts(p.catalog, CAPTURES - 1), 0);
		read_index(&p, &got);
		CHECK_INT(index_write(p.catalog, &p.d, NULL), 0);
		read_index(&p, &want);
		CHECK(want.len > old.len);
		/* All of an empty index is there: nobody can tell that it was more. */
		if (how == EMPTY)
			CHECK(got.len > 0);
		else
			CHECK(slice_eq(buf_slice(&got), buf_slice(&want)));
		catalog_close(p.catalog);
		directory_close(&p.d);
	}
	buf_release(&want);
	buf_release(&old);
	buf_release(&got);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_added();
	return tap_done();
}
