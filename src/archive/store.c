#include "archive/store.h"

#include <math.h>
#include <string.h>
#include <sys/timex.h>

#include "base/hash.h"
#include "catalog/catalog_line.h"
#include "proof/learned_lines.h"
#include "proof/moment.h"
#include "warc/warc_date.h"

/* Of a record of learned rules. */
static const size_t LEARNED_MAX = 512 << 10;

/* Of any record that is not of an attempt. */
static const size_t NOTE_MAX = 1 << 20;

/* ---- records of their own ---- */

/* Puts a record in line; what it borrows is copied into the batch. */
static int add_note(struct store *s, struct warc_entry entry, struct err *err)
{
	entry.url = batch_keep(s->batch, entry.url);
	entry.body = batch_keep(s->batch, entry.body);
	return press_note(s->press, s->batch, &entry, err);
}

static int write_table(struct store *s, struct err *err)
{
	int rc = add_note(s,
		(struct warc_entry){.type = WARC_TYPE_METADATA,
			.date = clock_realtime(s->clock),
			.url = SLICE(CATALOG_TABLE_TARGET),
			.body = buf_slice(&s->table.text)},
		err);

	table_lines_reset(&s->table);
	return rc;
}

/* ---- opening and closing ---- */

int store_open(struct store *s, const struct store_params *p, struct err *err)
{
	int rc;

	*s = (struct store){.clerk = p->clerk, .bodies = p->bodies, .clock = p->records.clock};
	s->wall = p->wall ? p->wall : s->clock;
	clock_boot_id(s->boot);
	buf_init(&s->learned, NOTE_MAX);
	table_lines_init(&s->table);
	rng_init(&s->rng, hash_key_random().k0);
	s->batch = clerk_batch(p->clerk);
	rc = press_new(&p->records, p->clerk, &s->press, err);
	if (rc)
		store_abandon(s);
	return rc;
}

static void release(struct store *s)
{
	batch_free(s->batch);
	records_bodies_release(&s->readable);
	buf_release(&s->learned);
	table_lines_release(&s->table);
	*s = (struct store){0};
}

void store_abandon(struct store *s)
{
	press_abandon(s->press);
	release(s);
}

int store_close(struct store *s, struct err *err)
{
	int rc = err_copy(err, &s->failure);

	if (rc == 0 && s->table.text.len)
		rc = write_table(s, err);
	if (rc == 0)
		rc = store_commit(s, err);
	if (rc) {
		store_abandon(s);
		return rc;
	}
	rc = press_close(s->press, s->batch, err);
	s->batch = NULL;
	release(s);
	return rc;
}

/* ---- committing ---- */

bool store_is_full(const struct store *s)
{
	return batch_bytes(s->batch) >= STORE_BATCH_MAX;
}

/* Seconds until looks have waited long enough. */
static double looks_due(const struct store *s, int64_t now)
{
	if (!s->looks_since)
		return INFINITY;
	return fmax(0, clock_seconds(s->looks_since + STORE_LOOKS_INTERVAL - now));
}

double store_due(struct store *s)
{
	int64_t now = clock_monotonic(s->clock);

	if (batch_is_empty(s->batch))
		return looks_due(s, now);
	if (store_is_full(s))
		return 0;
	if (!s->dirty_since)
		s->dirty_since = now;
	return fmax(0, clock_seconds(s->dirty_since + STORE_COMMIT_INTERVAL - now));
}

/* Bodies that were expected can be found now. */
static void learn_bodies(struct store *s)
{
	press_bodies(s->press, &s->readable);
	for (size_t i = 0; i < s->readable.len; i++)
		duplicates_add(s->bodies, &s->readable.ptr[i]);
	s->readable.len = 0;
}

void store_line(struct store *s, slice uuid, const struct catalog_row *row)
{
	if (s->failure.code || err_code(&s->failure, table_lines_add(&s->table, uuid, row)))
		return;
	if (s->table.text.len >= TABLE_LINES_FULL)
		(void)write_table(s, &s->failure);
}

void store_row(struct store *s, slice uuid, const struct catalog_row *row)
{
	if (s->failure.code)
		return;
	batch_add(s->batch, row);
	store_line(s, uuid, row);
}

/* The looks that wait are written now. */
static int write_looks(struct store *s, struct err *err)
{
	s->looks_since = 0;
	return press_looks(s->press, s->batch, err);
}

int store_commit(struct store *s, struct err *err)
{
	struct batch *full = s->batch;

	TRY(err_copy(err, &s->failure));
	if (table_lines_is_due(&s->table))
		TRY(write_table(s, err));
	if (looks_due(s, clock_monotonic(s->clock)) <= 0)
		TRY(write_looks(s, err));
	s->batch = clerk_batch(s->clerk);
	s->dirty_since = 0;
	TRY(press_commit(s->press, full, err));
	learn_bodies(s);
	return 0;
}

int store_settle(struct store *s, struct err *err)
{
	TRY(store_commit(s, err));
	TRY(press_flush(s->press, err));
	return clerk_wait(s->clerk, err);
}

int store_check(struct store *s, struct err *err)
{
	return s->failure.code ? err_copy(err, &s->failure) : press_check(s->press, err);
}

/* ---- attempts ---- */

/* A body that is being written can be read after this. */
static void await_body(struct store *s, const struct duplicates_body *body)
{
	struct err ignored = {0}; /* of the press: the record that comes next is told */

	if (duplicates_look(s->bodies, body) == DUPLICATES_EXPECTED)
		learn_bodies(s);
	if (duplicates_look(s->bodies, body) == DUPLICATES_EXPECTED &&
		press_flush(s->press, &ignored) == 0)
		learn_bodies(s);
}

bool store_find_body(struct store *s, const struct attempt *a, struct attempt_original *ret)
{
	struct duplicates_body body = {.payload = a->payload, .coding = a->coding};

	if (a->payload_size < DUPLICATES_SIZE_MIN)
		return false;
	await_body(s, &body);
	return duplicates_find(s->bodies, &body, ret);
}

int store_attempt(struct store *s, uint32_t capture, const struct attempt *a,
	const struct net_fetch *fetch, struct warc_id *ret_record, struct err *err)
{
	struct duplicates_body body = {.payload = a->payload, .coding = a->coding};
	struct attempt named = *a, *copy;
	struct warc_id id = {0};

	if (a->has_payload) {
		warc_id_make(&s->rng, &id);
		named.record_id = slice_str(id.text);
	}
	if (duplicates_is_original(a))
		duplicates_expect(s->bodies, &body);
	copy = batch_add_attempt(s->batch, capture, &named);
	if (a->is_compact && !s->looks_since)
		s->looks_since = clock_monotonic(s->clock);
	TRY(press_attempt(s->press, s->batch, copy, fetch, err));
	if (ret_record)
		*ret_record = id;
	return 0;
}

bool store_place_of(struct store *s, const struct digest *payload, uint64_t coding,
	struct attempt_original *original)
{
	struct duplicates_body body = {.payload = *payload, .coding = coding};

	await_body(s, &body);
	return duplicates_place(s->bodies, &body, &original->file, &original->offset);
}

void store_free_fetch(struct store *s, struct net_fetch *fetch)
{
	press_free_fetch(s->press, fetch);
}

/* ---- looks of an earlier process ---- */

struct adoption {
	struct store *store;
	struct buf block;
	uint64_t batch;
	struct err *err;
};

static int end_adopted(struct adoption *a)
{
	struct warc_entry entry =
		compact_entry(buf_slice(&a->block), clock_realtime(a->store->clock));
	int rc;

	if (a->block.len == 0)
		return 0;
	entry.body = batch_keep(a->store->batch, entry.body);
	rc = press_adopt(a->store->press, a->store->batch, a->batch, &entry, a->err);
	buf_reset(&a->block);
	return rc;
}

static int on_look(void *context, const struct catalog_look *look)
{
	struct adoption *a = context;
	int rc = look->batch == a->batch ? 0 : end_adopted(a);

	a->batch = look->batch;
	if (a->block.len == 0)
		buf_add(&a->block, SLICE(COMPACT_FIRST));
	if (rc == 0 && buf_add(&a->block, look->rows))
		return err_set(
			a->err, ERR_IO, "the catalog is damaged: a batch of looks is too large");
	return err_code(a->err, rc);
}

int store_adopt_looks(struct store *s, struct catalog *catalog, struct err *err)
{
	struct adoption a = {.store = s, .err = err, .block.max = COMPACT_BLOCK_MAX};
	int rc;

	rc = catalog_each_look(catalog, on_look, &a, err);
	if (rc == 0)
		rc = end_adopted(&a);
	buf_release(&a.block);
	return rc;
}

/* ---- names ---- */

int store_lookup(struct store *s, slice host, const struct net_lookup *lookup, struct err *err)
{
	struct warc_entry entry = {
		.type = WARC_TYPE_RESOURCE,
		.date = lookup->date,
		.content_type = SLICE("text/dns"),
		.body = lookup->records,
	};
	BUF_SCOPED(url, NOTE_MAX);

	buf_printf(&url, "dns:%.*s", (int)host.len, host.ptr);
	if (url.error)
		return err_set(err, url.error, "dns: %s", err_name(url.error));
	entry.url = buf_slice(&url);
	return add_note(s, entry, err);
}

/* ---- the clock ---- */

static struct catalog_clock read_clock(const struct store *s, const char *moment)
{
	struct timex kernel = {0};
	int state = adjtimex(&kernel);
	int64_t monotonic = clock_monotonic(s->clock);
	struct catalog_clock k = {
		.moment = slice_str(moment),
		.wall = monotonic + clock_offset(s->wall),
		.monotonic = monotonic,
		.capture_time = monotonic + clock_offset(s->clock),
		.boot = slice_str(s->boot),
		.estimated_error = -1,
		.maximum_error = -1,
	};

	if (state >= 0) { /* microseconds */
		k.estimated_error = (int64_t)kernel.esterror * 1000;
		k.maximum_error = (int64_t)kernel.maxerror * 1000;
		k.synchronised = state != TIME_ERROR && !(kernel.status & STA_UNSYNC);
	}
	return k;
}

int store_moment(struct store *s, const struct catalog_capture *capture, const char *moment,
	struct catalog_clock *ret_clock, struct err *err)
{
	struct catalog_clock k = read_clock(s, moment);
	struct warc_entry entry = {
		.type = WARC_TYPE_METADATA, .date = k.capture_time, .url = capture->uuid};
	BUF_SCOPED(text, NOTE_MAX);

	/* At the barrier and at the end the WARC files have all pages and looks. */
	if (s->table.text.len)
		TRY(write_table(s, err));
	if (s->looks_since)
		TRY(write_looks(s, err));
	TRY(err_code(err, moment_format(&text, capture, &k)));
	entry.body = buf_slice(&text);
	TRY(add_note(s, entry, err));
	batch_add(s->batch, &(struct catalog_row){CATALOG_ROW_CLOCK, capture->id, .clock = &k});
	if (ret_clock)
		*ret_clock = k;
	return 0;
}

/* ---- learned rules ---- */

int store_end_learned(struct store *s, const struct catalog_capture *capture, struct err *err)
{
	struct warc_entry entry = {
		.type = WARC_TYPE_METADATA,
		.date = clock_realtime(s->clock),
		.url = capture->uuid,
		.body = buf_slice(&s->learned),
	};
	int rc = s->learned.len ? add_note(s, entry, err) : 0;

	buf_reset(&s->learned);
	return rc;
}

/* "rule …" becomes "rule: …". */
static int add_learned_line(struct buf *out, slice line)
{
	slice left = line, word = slice_take(&left, ' ');

	if (out->len == 0)
		buf_printf(out, "learnedRules: %d\r\n", LEARNED_VERSION);
	return buf_printf(out, "%.*s: %.*s\r\n", (int)word.len, word.ptr, (int)left.len, left.ptr);
}

int store_learned(
	struct store *s, const struct catalog_capture *capture, slice line, struct err *err)
{
	if (s->learned.len + line.len > LEARNED_MAX)
		TRY(store_end_learned(s, capture, err));
	TRY(err_code(err, add_learned_line(&s->learned, line)));
	batch_add(s->batch, &(struct catalog_row){CATALOG_ROW_LEARNED, capture->id,
				    .learned = &(struct catalog_learned){.rule = line}});
	return 0;
}
