/* Bodies that an archive has: found again in the WARC file, and only when they really are there. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/duplicates.h"
#include "tap.h"
#include "warc/warc_date.h"
#include "warc/warc_writer.h"

static const int64_t DATE = INT64_C(1700000000123456000);

static struct digest digest_of(const char *text)
{
	struct digester d = {0};
	struct digest ret = {0};

	CHECK_INT(digester_start(&d, DIGEST_SHA256), 0);
	digester_feed(&d, slice_str(text));
	digester_finish(&d, &ret);
	digester_release(&d);
	return ret;
}

/* A record of that type with a body, and where it is. */
static struct warc_place write_record(struct warc_writer *w, enum warc_type type, const char *body)
{
	struct digest payload = digest_of(body);
	slice block = slice_sub(slice_str(body), 0, type == WARC_TYPE_REVISIT ? 0 : SIZE_MAX);
	struct warc_place place = {0};
	struct err err = {0};

	CHECK_INT(warc_writer_add(w,
			  &(struct warc_entry){
				  .type = type,
				  .date = DATE,
				  .url = SLICE("http://a/first"),
				  .head = SLICE("HTTP/1.1 200 OK\r\n\r\n"),
				  .body = block,
				  .payload = &payload,
				  .refers_to = SLICE("<urn:uuid:1>"),
				  .refers_to_url = SLICE("http://a/"),
				  .refers_to_date = DATE,
			  },
			  &place, &err),
		0);
	CHECK_INT(warc_writer_flush(w, &err), 0);
	return place;
}

static struct warc_writer *open_writer(const char *dir)
{
	struct warc_writer *w = NULL;
	struct err err = {0};

	CHECK_INT(warc_writer_open(
			  &(struct warc_writer_params){
				  .dir = dir, .name = "a-%n", .coding = WARC_CODING_GZIP},
			  &w, &err),
		0);
	return w;
}

static bool find(struct duplicates *d, const char *text, uint64_t coding)
{
	struct duplicates_body body = {.payload = digest_of(text), .coding = coding};
	struct attempt_original original = {0};
	bool found = duplicates_find(d, &body, &original);

	if (found) {
		CHECK_SLICE(original.url, SLICE("http://a/first"));
		CHECK_INT(original.date, warc_date_truncate(DATE));
		CHECK_INT((int64_t)original.record.len, WARC_ID_SIZE - 1);
	}
	return found;
}

static void add(struct duplicates *d, const char *text, const struct warc_place *place)
{
	struct duplicates_body body = {digest_of(text), 7, slice_str(place->file), place->offset};

	duplicates_add(d, &body);
}

static void test_found(void)
{
	const char *dir = tap_tempdir();
	struct warc_writer *w = open_writer(dir);
	struct warc_place first = write_record(w, WARC_TYPE_RESPONSE, "one");
	struct warc_place second = write_record(w, WARC_TYPE_RESPONSE, "two");
	struct duplicates d;
	struct err err = {0};

	duplicates_init(&d, dir, DUPLICATES_MAX);
	CHECK(!find(&d, "one", 7));
	add(&d, "one", &first);
	add(&d, "two", &second);
	/* While the file is being written, and when it is complete. */
	CHECK(find(&d, "one", 7));
	CHECK(find(&d, "two", 7));
	CHECK(!find(&d, "two", 8));
	CHECK_INT(warc_writer_close(w, &err), 0);
	CHECK(find(&d, "two", 7));
	CHECK(!find(&d, "three", 7));
	duplicates_release(&d);
}

/* Whatever the table says, the record decides. */
static void test_not_what_it_was(void)
{
	static const char *const LABELS[] = {
		"a revisit", "another body", "no such file", "behind the end", "no record there"};

	for (size_t i = 0; i < ARRAY_LEN(LABELS); i++) {
		const char *dir = tap_tempdir();
		struct warc_writer *w = open_writer(dir);
		struct warc_place place =
			write_record(w, i == 0 ? WARC_TYPE_REVISIT : WARC_TYPE_RESPONSE, "one");
		struct duplicates d;

		tap_case("not what it was: %s", LABELS[i]);
		duplicates_init(&d, dir, DUPLICATES_MAX);
		if (i == 2)
			(void)snprintf(place.file, sizeof place.file, "gone.warc.gz");
		if (i == 3)
			place.offset += 1000000;
		if (i == 4)
			place.offset += 3;
		add(&d, i == 1 ? "two" : "one", &place);
		CHECK(!find(&d, i == 1 ? "two" : "one", 7));
		/* And it is forgotten, so that the next one may take its place. */
		CHECK_INT((int64_t)d.count, 0);
		warc_writer_abandon(w);
		duplicates_release(&d);
	}
}

/*
 * The table has a maximum; what is new is known, some of what is old is not. Below the maximum
 * nothing is lost: a page whose body is forgotten cannot be compared with a canary.
 */
static void test_bounded(void)
{
	enum { MAX = 1 << 12, MANY = 5 * MAX };
	const char *dir = tap_tempdir();
	struct warc_writer *w = open_writer(dir);
	struct warc_place place = write_record(w, WARC_TYPE_RESPONSE, "one");
	struct duplicates d;
	struct duplicates_body body = {
		{.kind = DIGEST_SHA256}, 0, slice_str(place.file), place.offset};
	int found = 0, crowded = 0;

	duplicates_init(&d, dir, MAX);
	for (uint64_t i = 1; i <= MANY; i++) {
		uint64_t mixed = i * UINT64_C(0x9e3779b97f4a7c15);

		memcpy(body.payload.bytes, &mixed, sizeof mixed);
		mixed = (mixed ^ mixed >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
		memcpy(body.payload.bytes + 8, &mixed, sizeof mixed);
		duplicates_add(&d, &body);
		if (d.cap < MAX)
			crowded += d.count != i || (i > MAX / 16 && d.cap > 2 * i);
	}
	CHECK_INT((int64_t)d.cap, MAX);
	CHECK(d.count <= MAX && d.count > MAX / 2);
	CHECK_INT(crowded, 0);
	add(&d, "one", &place);
	found += find(&d, "one", 7);
	CHECK_INT(found, 1);
	CHECK_INT((int64_t)d.files.len, 1);
	warc_writer_abandon(w);
	duplicates_release(&d);
}

static struct catalog *make_catalog(const char *dir, const struct warc_place *place)
{
	struct catalog *c = NULL;
	struct err err = {0};
	char path[4096];

	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", dir);
	CHECK_INT(catalog_open(path, CATALOG_CREATE, &c, &err), 0);
	for (uint32_t i = 0; i < 3; i++) {
		struct catalog_capture row = {.uuid = SLICE("u"),
			.site = SLICE("s"),
			.strategy = SLICE("s"),
			.settings = SLICE("")};
		struct attempt o = {
			.page = i,
			.leg = ATTEMPT_VISIT,
			.number = 1,
			.truncated = i == 1,
			.has_payload = true,
			.payload = digest_of(i == 0   ? "one"
					     : i == 1 ? "two"
						      : "three"),
			.warc = slice_str(place->file),
			.offset = place->offset,
			.length = 1000,
			.is_revisit = i == 2,
			.coding = 7,
		};
		uint32_t id;

		CHECK_INT(catalog_add_capture(c, &row, &id, &err), 0);
		CHECK_INT(catalog_add_observation(c, 1, &o, &err), 0);
	}
	CHECK_INT(catalog_commit(c, &err), 0);
	return c;
}

/* From the catalog: whole bodies in responses of earlier captures, and of no others. */
static void test_learned(void)
{
	const char *dir = tap_tempdir();
	struct warc_writer *w = open_writer(dir);
	struct warc_place place = write_record(w, WARC_TYPE_RESPONSE, "one");
	struct catalog *c = make_catalog(dir, &place);
	struct duplicates d;
	struct err err = {0};

	duplicates_init(&d, dir, DUPLICATES_MAX);
	CHECK_INT(duplicates_learn(&d, c, 1, &err), 0);
	CHECK_INT((int64_t)d.count, 0);
	CHECK_INT(duplicates_learn(&d, c, 3, &err), 0);
	CHECK_INT((int64_t)d.count, 1);
	CHECK(find(&d, "one", 7));
	catalog_close(c);
	warc_writer_abandon(w);
	duplicates_release(&d);
}

enum { BODIES = 9000, FILES = 5 };

/* Of the n-th look: every seventh shows the body of another one. */
static struct attempt look_at(uint32_t n, char text[40], char file[40])
{
	struct attempt a = {.page = n,
		.leg = ATTEMPT_VISIT,
		.number = 1,
		.status = 200,
		.has_payload = true,
		.length = 4000,
		.coding = 7,
		.offset = n};

	(void)snprintf(text, 40, "body %u", n % 7 ? n : n / 2);
	(void)snprintf(file, 40, "file-%u.warc.gz", n / (BODIES / FILES));
	a.payload = digest_of(text);
	a.warc = slice_str(file);
	return a;
}

static struct catalog *make_ended(const char *dir)
{
	struct catalog_capture row = {.uuid = SLICE("urn:uuid:1"),
		.site = SLICE("http://example.org/"),
		.strategy = SLICE("bfs"),
		.settings = SLICE(""),
		.state = CATALOG_FINISHED,
		.addresses = CATALOG_NO_ADDRESSES};
	struct catalog *c = NULL;
	char path[4096], text[40], file[40];
	uint32_t id;

	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", dir);
	CHECK_INT(catalog_open(path, CATALOG_CREATE, &c, NULL), 0);
	CHECK_INT(catalog_add_capture(c, &row, &id, NULL), 0);
	for (uint32_t n = 0; n < BODIES; n++) {
		struct attempt a = look_at(n, text, file);

		CHECK_INT(catalog_add_observation(c, id, &a, NULL), 0);
	}
	return c;
}

/* Where each body is, by both tables; a table that grows may lose one in a thousand. */
static void compare_tables(const struct duplicates *a, const struct duplicates *b)
{
	char text[40], file[40];
	int differing = 0;

	for (uint32_t n = 0; n < BODIES; n++) {
		struct attempt a_look = look_at(n, text, file);
		struct duplicates_body body = {.payload = a_look.payload, .coding = a_look.coding};
		slice file_a = {0}, file_b = {0};
		uint64_t at_a = 0, at_b = 1;

		differing += !duplicates_place(a, &body, &file_a, &at_a) ||
			     !duplicates_place(b, &body, &file_b, &at_b) ||
			     !slice_eq(file_a, file_b) || at_a != at_b;
	}
	CHECK(differing < BODIES / 500);
}

static void learn(struct duplicates *d, const char *dir, struct catalog *c)
{
	duplicates_init(d, dir, DUPLICATES_MAX);
	CHECK_INT(duplicates_learn(d, c, 2, NULL), 0);
}

/* What was saved tells the same as the observations; damaged parts are passed over. */
static void test_saved(void)
{
	const char *dir = tap_tempdir();
	struct catalog *c = make_ended(dir);
	struct duplicates_saving saving;
	struct duplicates read, saved, damaged;

	learn(&read, dir, c);
	CHECK_INT(duplicates_saving_begin(&saving, c, 1, NULL), 0);
	CHECK_INT(duplicates_saving_end(&saving,
			  catalog_each_observation(c, 1, duplicates_saving_add, &saving, NULL)),
		0);
	learn(&saved, dir, c);
	compare_tables(&read, &saved);
	CHECK_INT(catalog_drop_saved(c, 1, CATALOG_SAVED_BODIES, NULL), 0);
	CHECK_INT(catalog_put(c, CATALOG_ROW_SAVED, 1,
			  &(struct catalog_saved){CATALOG_SAVED_BODIES, 0, SLICE("\1\3abc....")},
			  NULL),
		0);
	learn(&damaged, dir, c);
	compare_tables(&read, &damaged);
	duplicates_release(&read);
	duplicates_release(&saved);
	duplicates_release(&damaged);
	catalog_close(c);
}

static enum duplicates_sight look(const struct duplicates *d, const char *text)
{
	return duplicates_look(
		d, &(struct duplicates_body){.payload = digest_of(text), .coding = 7});
}

/* What is being written is known, but not there before it can be read; the first one stays. */
static void test_expected(void)
{
	const char *dir = tap_tempdir();
	struct duplicates_body body = {.payload = digest_of("one"), .coding = 7};
	struct warc_writer *w = open_writer(dir);
	struct warc_place other, place;
	struct duplicates d;

	duplicates_init(&d, dir, DUPLICATES_MAX);
	CHECK_INT(look(&d, "one"), DUPLICATES_NONE);
	duplicates_expect(&d, &body);
	CHECK_INT(look(&d, "one"), DUPLICATES_EXPECTED);
	CHECK(!find(&d, "one", 7));
	CHECK_INT(look(&d, "one"), DUPLICATES_EXPECTED);
	place = write_record(w, WARC_TYPE_RESPONSE, "one");
	other = write_record(w, WARC_TYPE_RESPONSE, "two");
	add(&d, "one", &place);
	CHECK_INT(look(&d, "one"), DUPLICATES_ADDED);
	add(&d, "one", &other);
	duplicates_expect(&d, &body);
	CHECK(find(&d, "one", 7));
	CHECK_INT((int64_t)d.count, 1);
	warc_writer_abandon(w);
	duplicates_release(&d);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_found);
	test_not_what_it_was();
	TAP_RUN(test_bounded);
	TAP_RUN(test_learned);
	TAP_RUN(test_saved);
	TAP_RUN(test_expected);
	return tap_done();
}
