#include "warc/warc_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "formats/http_payload.h"
#include "warc/warc_compress.h"
#include "warc/warc_date.h"

/* ---- a file ---- */

enum {
	OPEN_NAME_SIZE = WARC_NAME_MAX + sizeof(WARC_OPEN),
	GATHERED_MAX = 256 << 10,
	SUM_STEP = 64 << 10,
};

static ssize_t system_write(void *context, int fd, const void *bytes, size_t len, off_t at)
{
	(void)context;
	return pwrite(fd, bytes, len, at);
}

static int system_truncate(void *context, int fd, off_t size)
{
	(void)context;
	return ftruncate(fd, size);
}

static int system_sync(void *context, int fd)
{
	(void)context;
	return fdatasync(fd);
}

const struct warc_io *warc_io_system(void)
{
	static const struct warc_io io = {NULL, system_write, system_truncate, system_sync};

	return &io;
}

int warc_io_write(const struct warc_io *io, int fd, slice bytes, uint64_t at)
{
	while (bytes.len > 0) {
		ssize_t n = io->write(io->context, fd, bytes.ptr, bytes.len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return -1;
		}
		at += (uint64_t)n;
		bytes = slice_sub(bytes, (size_t)n, bytes.len);
	}
	return 0;
}

static bool has_suffix(slice name, slice suffix)
{
	return name.len > suffix.len &&
	       slice_eq(slice_sub(name, name.len - suffix.len, name.len), suffix);
}

slice warc_closed_name(slice name)
{
	slice open = SLICE(WARC_OPEN);

	if (has_suffix(name, open))
		name.len -= open.len;
	return name;
}

bool warc_is_name(slice name)
{
	return has_suffix(name, SLICE(".warc")) || has_suffix(name, SLICE(".warc.gz")) ||
	       has_suffix(name, SLICE(".warc.zst"));
}

/* The name from its time on; all of it where there is none. */
static const char *behind_prefix(const char *name)
{
	enum { TIME_DIGITS = 14 };

	for (const char *at = strchr(name, '-'); at; at = strchr(at + 1, '-'))
		if (strspn(at + 1, "0123456789") == TIME_DIGITS)
			return at + 1;
	return name;
}

bool warc_name_has_time(const char *name)
{
	return behind_prefix(name) != name;
}

int warc_name_compare(const char *x, const char *y)
{
	int order = strcmp(behind_prefix(x), behind_prefix(y));

	return order ? order : strcmp(x, y);
}

/* "PREFIX-TIME-NUMBER REST" of a file: all are parts of its name. */
struct numbered {
	slice prefix, rest;
	uint64_t number;
};

/* "-r1" of a file from which something was retired (store/retire.h). */
static slice without_retirement(slice rest)
{
	const char *end = memmem(rest.ptr, rest.len, ".warc", 5);
	size_t at = end ? (size_t)(end - rest.ptr) : 0;

	while (at > 0 && rest.ptr[at - 1] >= '0' && rest.ptr[at - 1] <= '9')
		at--;
	return at > 1 && slice_eq(slice_sub(rest, at - 2, at), SLICE("-r"))
		       ? slice_sub(rest, 0, at - 2)
		       : slice_sub(rest, 0, end ? (size_t)(end - rest.ptr) : rest.len);
}

/* False when it is not called like a file of a crawl. The name ends in a NUL. */
static bool parse_name(slice name, struct numbered *ret)
{
	enum { NUMBER_MIN = 5, NUMBER_MAX = 12 };
	const char *time = behind_prefix(name.ptr), *at = time;
	size_t digits;

	if (time == name.ptr)
		return false;
	at += strspn(at, "0123456789");
	digits = *at == '-' ? strspn(at + 1, "0123456789") : 0;
	if (digits < NUMBER_MIN || digits > NUMBER_MAX)
		return false;
	*ret = (struct numbered){.prefix = {name.ptr, (size_t)(time - name.ptr)}};
	for (at++; digits > 0; digits--, at++)
		ret->number = ret->number * 10 + (uint64_t)(*at - '0');
	ret->rest = without_retirement((slice){at, name.len - (size_t)(at - name.ptr)});
	return true;
}

static int compare_slices(slice a, slice b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	int order = compare_slices(x->prefix, y->prefix);

	if (order == 0)
		order = compare_slices(x->rest, y->rest);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static bool is_series(const struct numbered *x, const struct numbered *y)
{
	return slice_eq(x->prefix, y->prefix) && slice_eq(x->rest, y->rest);
}

/* "…-1f3a5c": earlier versions gave files of all processes one series, with gaps. */
static bool has_word(const struct numbered *x)
{
	enum { DIGITS = 6 };
	size_t at = x->rest.len > DIGITS ? x->rest.len - DIGITS : 0;

	for (size_t i = at; i < x->rest.len; i++)
		if (!strchr("0123456789abcdef", x->rest.ptr[i]))
			return false;
	return at > 0 && x->rest.ptr[at - 1] == '-';
}

static struct warc_gap gap_of(const struct numbered *x, uint64_t number, uint64_t count)
{
	struct warc_gap gap = {.count = count};

	(void)snprintf(gap.name, sizeof gap.name, "%.*s*-%05llu%.*s",
		slice_shown(x->prefix, WARC_NAME_MAX / 2), x->prefix.ptr,
		(unsigned long long)number, slice_shown(x->rest, WARC_NAME_MAX / 2), x->rest.ptr);
	return gap;
}

/* Numbers between those of a series; *told adds them up. */
static int find_gaps(
	const struct numbered *list, size_t len, uint64_t *told, warc_gap_call *call, void *context)
{
	for (size_t i = 0; i + 1 < len; i++) {
		const struct numbered *x = &list[i], *y = x + 1;
		struct warc_gap gap;

		if (!is_series(x, y) || y->number <= x->number + 1)
			continue;
		gap = gap_of(x, x->number + 1, y->number - x->number - 1);
		*told += gap.count;
		TRY(call(context, &gap));
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
				      : by_number(a, b);
}

/* Files in front of a series; the list is sorted by number. */
static int find_lost(
	const struct numbered *list, size_t len, uint64_t known, warc_gap_call *call, void *context)
{
	size_t below = 0; /* files with a lower number */

	for (size_t i = 0; i < len; i++) {
		struct warc_gap gap = gap_of(&list[i], list[i].number, 0);

		if (i > 0 && list[i].number > list[i - 1].number)
			below = i;
		gap.is_before = true;
		if (list[i].number <= below + known)
			continue;
		gap.count = list[i].number - below - known;
		known += gap.count;
		TRY(call(context, &gap));
	}
	return 0;
}

int warc_names_missing(
	const slice *names, size_t count, uint64_t others, warc_gap_call *call, void *context)
{
	struct numbered *list = mem_new(count + 1, sizeof *list);
	size_t len = 0;
	int rc;

	for (size_t i = 0; i < count; i++)
		len += parse_name(names[i], &list[len]) && has_word(&list[len]);
	qsort(list, len, sizeof *list, by_number);
	others += count - len;
	rc = find_gaps(list, len, &others, call, context);
	qsort(list, len, sizeof *list, by_place);
	if (rc == 0)
		rc = find_lost(list, len, others, call, context);
	free(list);
	return rc;
}

static void open_name(const char *name, char out[OPEN_NAME_SIZE])
{
	(void)snprintf(out, OPEN_NAME_SIZE, "%s" WARC_OPEN, name);
}

static int fail(const struct warc_file *f, const char *what, struct err *err)
{
	return err_set(err, ERR_IO, "%s: %s: %s", f->name, what, strerror(errno));
}

static void warc_file_discard(struct warc_file *f);

int warc_file_create(
	struct warc_file *f, int dir, const char *name, const struct warc_io *io, struct err *err)
{
	struct warc_file file = {.io = io, .dir = dir, .fd = -1};
	char path[OPEN_NAME_SIZE];

	(void)snprintf(file.name, sizeof file.name, "%s", name);
	if (faccessat(dir, name, F_OK, 0) == 0)
		return err_set(err, ERR_EXISTS, "%s already exists", name);
	open_name(name, path);
	file.fd = file_open_first(dir, path);
	if (file.fd < 0 && errno == EEXIST)
		return err_set(err, ERR_EXISTS, "%s already exists", path);
	if (file.fd < 0)
		return fail(&file, "cannot be created", err);
	file.gathered = mem_resize(NULL, GATHERED_MAX, 1);
	file.is_open = true;
	file.is_sum_spoiled = digester_start(&file.sum, DIGEST_SHA256) != 0;
	*f = file;
	return 0;
}

int warc_file_sum(int fd, uint64_t size, struct digest *ret)
{
	struct digester sum = {0};
	char *bytes = mem_resize(NULL, SUM_STEP, 1);
	int rc = digester_start(&sum, DIGEST_SHA256);

	for (uint64_t at = 0; rc == 0 && at < size;) {
		size_t step = size - at < SUM_STEP ? (size_t)(size - at) : SUM_STEP;
		ssize_t n = io_read_at(fd, bytes, step, at);

		if (n < (ssize_t)step) {
			errno = n < 0 ? errno : 0;
			rc = ERR_IO;
		} else {
			digester_feed(&sum, (slice){bytes, step});
		}
		at += step;
	}
	if (rc == 0)
		digester_finish(&sum, ret);
	digester_release(&sum);
	free(bytes);
	return rc;
}

static void add_to_sum(struct warc_file *f, slice bytes)
{
	if (!f->is_sum_spoiled)
		digester_feed(&f->sum, bytes);
}

/* Of the file, which is on the disk. Where it cannot be had, the file goes without. */
static void finish_sum(struct warc_file *f)
{
	f->has_digest = !f->is_sum_spoiled || warc_file_sum(f->fd, f->size, &f->digest) == 0;
	if (!f->is_sum_spoiled)
		digester_finish(&f->sum, &f->digest);
}

/* Invariant (2): nothing happens to a torn file until it is mended. */
static int mend(struct warc_file *f, struct err *err)
{
	if (!f->is_torn)
		return 0;
	if (f->io->truncate(f->io->context, f->fd, (off_t)f->written) < 0)
		return fail(f, "cannot be truncated", err);
	f->is_torn = false;
	return 0;
}

/* Writes bytes behind those that are in the file, all of them or, as far as we know, none. */
static int write_out(struct warc_file *f, slice bytes, struct err *err)
{
	if (warc_io_write(f->io, f->fd, bytes, f->written)) {
		f->is_torn = true;
		(void)fail(f, "cannot be written", err);
		(void)mend(f, NULL);
		return ERR_IO;
	}
	f->written += bytes.len;
	return 0;
}

int warc_file_flush(struct warc_file *f, struct err *err)
{
	TRY(mend(f, err));
	if (f->end > f->written)
		TRY(write_out(f, (slice){f->gathered, (size_t)(f->end - f->written)}, err));
	return 0;
}

int warc_file_append(struct warc_file *f, slice bytes, struct err *err)
{
	if (f->written <= f->size && bytes.len <= GATHERED_MAX - (f->end - f->written)) {
		if (bytes.len)
			memcpy(f->gathered + (f->end - f->written), bytes.ptr, bytes.len);
		f->end += bytes.len;
		add_to_sum(f, bytes);
		return 0;
	}
	TRY(warc_file_flush(f, err));
	TRY(write_out(f, bytes, err));
	f->end = f->written;
	add_to_sum(f, bytes);
	return 0;
}

void warc_file_commit(struct warc_file *f)
{
	f->size = f->end;
}

/* Takes back what there is of the record under way, now or before anything else is written. */
static void warc_file_rollback(struct warc_file *f)
{
	if (f->written > f->size) {
		f->written = f->size;
		f->is_torn = true;
	}
	f->is_sum_spoiled = f->is_sum_spoiled || f->end > f->size;
	f->end = f->size;
	(void)mend(f, NULL);
}

/* Now all records that were committed are on the disk: 0 or ERR_IO. */
static SP_MUST_CHECK int warc_file_sync(struct warc_file *f, struct err *err)
{
	TRY(warc_file_flush(f, err));
	if (f->io->sync(f->io->context, f->fd) < 0)
		return fail(f, "cannot be synced", err);
	if (!f->is_entered && f->io->sync(f->io->context, f->dir) < 0)
		return fail(f, "its directory cannot be synced", err);
	f->is_entered = true;
	return 0;
}

/* The new name is on the disk only when the directory is. */
static int rename_file(struct warc_file *f, struct err *err)
{
	char path[OPEN_NAME_SIZE];

	open_name(f->name, path);
	if (renameat(f->dir, path, f->dir, f->name) < 0)
		return fail(f, "cannot be renamed", err);
	if (f->io->sync(f->io->context, f->dir) < 0)
		return fail(f, "its directory cannot be synced", err);
	return 0;
}

static void forget(struct warc_file *f)
{
	free(f->gathered);
	f->gathered = NULL;
	f->is_open = false;
	digester_release(&f->sum);
}

int warc_file_close(struct warc_file *f, struct err *err)
{
	int rc;

	if (!f->is_open)
		return 0;
	rc = warc_file_sync(f, err);
	if (rc == 0)
		finish_sum(f);
	if (close(f->fd) < 0 && rc == 0)
		rc = fail(f, "cannot be closed", err);
	forget(f);
	return rc ? rc : rename_file(f, err);
}

void warc_file_abandon(struct warc_file *f)
{
	if (f->is_open)
		(void)close(f->fd);
	forget(f);
}

/* Closes and removes a file that has no records. */
static void warc_file_discard(struct warc_file *f)
{
	char path[OPEN_NAME_SIZE];

	open_name(f->name, path);
	(void)close(f->fd);
	(void)unlinkat(f->dir, path, 0);
	forget(f);
}

/* ---- records ---- */

enum { SPOOL_STEP = 64 << 10 };

struct warc_writer {
	struct warc_writer_params params;
	struct rng rng;
	int dir;
	uint64_t serial; /* of the next file */
	struct warc_file file;
	struct warc_id info;  /* of its warcinfo record */
	struct digest digest; /* of the last one, if has_digest */
	bool has_digest;
	struct warc_compress *compress;
	struct buf header;
	struct payload payload;
	struct digester block;
	char spool[SPOOL_STEP];
};

static const char *suffix(enum warc_coding coding)
{
	switch (coding) {
	case WARC_CODING_GZIP:
		return ".warc.gz";
	case WARC_CODING_ZSTD:
		return ".warc.zst";
	default:
		return ".warc";
	}
}

/* Fills in the template; ERR_USAGE when it is none. */
static int make_name(const struct warc_writer *w, struct buf *out, struct err *err)
{
	char time[WARC_DATE_DIGITS_SIZE];
	bool has_serial = false;
	int rc = 0;

	warc_date_digits(clock_realtime(w->params.clock), time);
	for (const char *p = w->params.name; rc == 0 && *p; p++) {
		if (*p == '/')
			return err_set(err, ERR_USAGE, "name of WARC files: has a slash");
		if (*p != '%') {
			rc = buf_add_char(out, *p);
			continue;
		}
		switch (*++p) {
		case 't':
			rc = buf_add_str(out, time);
			break;
		case 'n':
			rc = buf_printf(out, "%05llu", (unsigned long long)w->serial);
			has_serial = true;
			break;
		case '%':
			rc = buf_add_char(out, '%');
			break;
		default:
			return err_set(err, ERR_USAGE, "name of WARC files: %% without t, n or %%");
		}
	}
	if (!has_serial)
		return err_set(err, ERR_USAGE, "name of WARC files: %%n is missing");
	if (rc == 0)
		rc = buf_add_str(out, suffix(w->params.coding));
	return rc ? err_set(err, ERR_USAGE, "name of WARC files: %s", err_name(rc)) : 0;
}

/* Creates a file of the next serial number whose name is free. */
static int create_file(struct warc_writer *w, struct err *err)
{
	int rc = ERR_EXISTS;

	for (int i = 0; rc == ERR_EXISTS && i < WARC_WRITER_TRIES_MAX; i++) {
		struct buf name;

		buf_init(&name, WARC_NAME_MAX);
		rc = make_name(w, &name, err);
		if (rc == 0)
			rc = warc_file_create(&w->file, w->dir, buf_str(&name), w->params.io, err);
		buf_release(&name);
		w->serial++;
	}
	return rc;
}

static void release(struct warc_writer *w)
{
	if (w->dir >= 0)
		(void)close(w->dir);
	warc_compress_close(w->compress);
	buf_release(&w->header);
	payload_release(&w->payload);
	digester_release(&w->block);
	free(w);
}

static void fill_in(struct warc_writer_params *p)
{
	p->name = p->name ? p->name : WARC_WRITER_NAME;
	p->max_size = p->max_size ? p->max_size : WARC_WRITER_MAX_SIZE;
	p->clock = p->clock ? p->clock : clock_system();
	p->io = p->io ? p->io : warc_io_system();
}

static int check_name(const struct warc_writer *w, struct err *err)
{
	BUF_SCOPED(name, WARC_NAME_MAX);

	return make_name(w, &name, err);
}

int warc_writer_open(
	const struct warc_writer_params *params, struct warc_writer **ret, struct err *err)
{
	struct warc_writer *w = mem_new(1, sizeof *w);
	int rc;

	w->params = *params;
	w->serial = params->serial;
	fill_in(&w->params);
	rng_init(&w->rng, params->seed ? params->seed : hash_key_random().k0);
	buf_init(&w->header, FIELDS_HEAD_MAX);
	w->dir = file_open_dir(params->dir);
	rc = w->dir < 0 ? err_set(err, ERR_IO, "%s: %s", params->dir, strerror(errno)) : 0;
	if (rc == 0)
		rc = check_name(w, err);
	if (rc == 0)
		rc = warc_compress_open(params->coding, params->level, &w->compress, err);
	if (rc) {
		release(w);
		return rc;
	}
	*ret = w;
	return 0;
}

/* Takes the pieces of a block, in their order. */
typedef int feed_fn(struct warc_writer *w, slice bytes, struct err *err);

static int feed_spool(
	struct warc_writer *w, const struct warc_spool *spool, feed_fn *feed, struct err *err)
{
	uint64_t at = 0;

	while (at < spool->size) {
		size_t room =
			spool->size - at < SPOOL_STEP ? (size_t)(spool->size - at) : SPOOL_STEP;
		ssize_t n = io_read_at(spool->fd, w->spool, room, at);

		if (n <= 0)
			return err_set(err, ERR_IO, "spooled body: %s",
				n < 0 ? strerror(errno) : "shorter than it should be");
		TRY(feed(w, (slice){w->spool, (size_t)n}, err));
		at += (uint64_t)n;
	}
	return 0;
}

static int feed_block(
	struct warc_writer *w, const struct warc_entry *e, feed_fn *feed, struct err *err)
{
	TRY(feed(w, e->head, err));
	TRY(feed(w, e->body, err));
	if (e->spool)
		TRY(feed_spool(w, e->spool, feed, err));
	return 0;
}

static uint64_t block_length(const struct warc_entry *e)
{
	return e->head.len + e->body.len + (e->spool ? e->spool->size : 0);
}

static int feed_digests(struct warc_writer *w, slice bytes, struct err *err)
{
	digester_feed(&w->block, bytes);
	return w->payload.wants_digest ? err_code(err, payload_feed(&w->payload, bytes)) : 0;
}

/*
 * First pass over the block: a record's header, digests included, comes before its block. A
 * response whose payload was summed when it came is not read again where compression has a sum of
 * its own (gzip, zstd): its body has its digest, and the file that holds it.
 */
static int compute_digests(struct warc_writer *w, const struct warc_entry *e,
	struct warc_entry_facts *facts, struct err *err)
{
	bool is_http = payload_is_http(warc_entry_content_type(e));
	bool compute = warc_entry_has_payload(e) && !e->payload;
	struct payload_digests payload;

	facts->has_block = e->type != WARC_TYPE_RESPONSE || !e->payload ||
			   w->params.coding == WARC_CODING_PLAIN;
	facts->has_payload = warc_entry_has_payload(e);
	if (e->payload)
		facts->payload = *e->payload;
	if (!facts->has_block)
		return 0;
	TRY(err_code(err, digester_start(&w->block, DIGEST_SHA256)));
	payload_start_unchecked(&w->payload, PAYLOAD_WHOLE);
	if (compute)
		TRY(err_code(err, payload_start(&w->payload, is_http ? PAYLOAD_HTTP : PAYLOAD_WHOLE,
					  DIGEST_SHA256)));
	TRY(feed_block(w, e, feed_digests, err));
	digester_finish(&w->block, &facts->block);
	if (!compute)
		return 0;
	TRY(err_code(err, payload_finish(&w->payload, &payload)));
	facts->payload = payload.decoded;
	return 0;
}

static int emit(void *context, slice bytes, struct err *err)
{
	struct warc_writer *w = context;

	return warc_file_append(&w->file, bytes, err);
}

static int feed_compress(struct warc_writer *w, slice bytes, struct err *err)
{
	return warc_compress_feed(w->compress, bytes, err);
}

/* Second pass: the record goes into the file. */
static int compress_record(struct warc_writer *w, const struct warc_entry *e, struct err *err)
{
	slice end = SLICE("\r\n\r\n");
	uint64_t size = w->header.len + block_length(e) + end.len;

	warc_compress_begin(w->compress, size, emit, w);
	TRY(warc_compress_feed(w->compress, buf_slice(&w->header), err));
	TRY(feed_block(w, e, feed_compress, err));
	TRY(warc_compress_feed(w->compress, end, err));
	return warc_compress_end(w->compress, err);
}

/* Writes a record to the open file, all of it or nothing. */
static int write_record(struct warc_writer *w, const struct warc_entry *e,
	struct warc_entry_facts *facts, struct err *err)
{
	int rc;

	TRY(warc_entry_check(e, err));
	if (e->id.ptr)
		memcpy(facts->id.text, e->id.ptr, e->id.len);
	else
		warc_id_make(&w->rng, &facts->id);
	facts->length = block_length(e);
	TRY(compute_digests(w, e, facts, err));
	buf_reset(&w->header);
	TRY(warc_entry_format(e, facts, &w->header, err));
	rc = compress_record(w, e, err);
	if (rc)
		warc_file_rollback(&w->file);
	else
		warc_file_commit(&w->file);
	return rc;
}

static int write_info(struct warc_writer *w, struct err *err)
{
	struct warc_entry_facts facts = {.filename = w->file.name};
	struct warc_entry e = {.type = WARC_TYPE_WARCINFO};
	BUF_SCOPED(block, WARC_WRITER_INFO_MAX);

	for (size_t i = 0; i < w->params.info_count; i++) {
		int rc = warc_header_add(&block, w->params.info[i].name, w->params.info[i].value);

		if (rc)
			return err_set(err, rc, "warcinfo: %s", err_name(rc));
	}
	e.date = clock_realtime(w->params.clock);
	e.body = buf_slice(&block);
	TRY(write_record(w, &e, &facts, err));
	w->info = facts.id;
	return 0;
}

int warc_writer_complete(struct warc_writer *w, struct err *err)
{
	int rc;

	if (!w->file.is_open)
		return 0;
	rc = warc_file_close(&w->file, err);
	w->has_digest = rc == 0 && w->file.has_digest;
	w->digest = w->file.digest;
	return rc;
}

const struct digest *warc_writer_digest(const struct warc_writer *w)
{
	return w->has_digest ? &w->digest : NULL;
}

bool warc_writer_is_full(const struct warc_writer *w)
{
	return !w->file.is_open || w->file.size >= w->params.max_size;
}

/* Makes sure that the file is open that the record goes to. */
static int reach_file(struct warc_writer *w, const struct warc_entry *entry, struct err *err)
{
	int rc;

	if (!warc_writer_is_full(w) || (entry->follows && w->file.is_open))
		return 0;
	TRY(warc_writer_complete(w, err));
	TRY(create_file(w, err));
	rc = write_info(w, err);
	if (rc) {
		warc_file_discard(&w->file);
		w->serial--;
	}
	return rc;
}

int warc_writer_add(struct warc_writer *w, const struct warc_entry *entry,
	struct warc_place *ret_place, struct err *err)
{
	struct warc_entry_facts facts = {0};
	uint64_t offset;

	TRY(reach_file(w, entry, err));
	facts.warcinfo = w->info.text;
	offset = w->file.size;
	TRY(write_record(w, entry, &facts, err));
	if (!ret_place)
		return 0;
	*ret_place = (struct warc_place){
		.offset = offset,
		.length = w->file.size - offset,
		.id = facts.id,
		.has_payload = facts.has_payload,
		.payload = facts.payload,
	};
	memcpy(ret_place->file, w->file.name, sizeof ret_place->file);
	return 0;
}

int warc_writer_flush(struct warc_writer *w, struct err *err)
{
	return w->file.is_open ? warc_file_flush(&w->file, err) : 0;
}

int warc_writer_sync(struct warc_writer *w, struct err *err)
{
	return w->file.is_open ? warc_file_sync(&w->file, err) : 0;
}

void warc_writer_abandon(struct warc_writer *w)
{
	if (!w)
		return;
	warc_file_abandon(&w->file);
	release(w);
}

int warc_writer_close(struct warc_writer *w, struct err *err)
{
	int rc;

	if (!w)
		return 0;
	rc = warc_writer_complete(w, err);
	release(w);
	return rc;
}
