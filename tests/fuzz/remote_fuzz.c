/*
 * Lists that a server sends in parts. The input: 'c' (CDX server) or 't' (TimeMaps) and the
 * progress of an earlier import; then the server's answers, each behind the byte 0x1e, of which the
 * first byte is '4' (404), '3' (403), '5' (no answer) or anything else (200), and the others are
 * the body.
 *
 * Any answers are read or refused with a sentence; no more is asked than was answered; and whoever
 * goes on with the progress asks what would have been asked next.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/import_remote.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SEPARATOR = 0x1e };

static const char ADDRESS[] = "http://a.example/list?url=b.example";

struct script {
	slice answers;    /* that were not given yet */
	struct buf asked; /* last */
};

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int count(void *context, const struct listed *o, struct err *err)
{
	(void)err;
	require(o->url.ptr && o->url.len > 0 && o->status <= 999);
	++*(uint64_t *)context;
	return 0;
}

static int spool(slice body)
{
	int fd = memfd_create("answer", MFD_CLOEXEC);

	require(fd >= 0 && write(fd, body.ptr, body.len) == (ssize_t)body.len);
	require(lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static int note(void *context, slice url, struct download_answer *ret_answer, struct err *err)
{
	struct script *s = context;

	(void)ret_answer;
	buf_reset(&s->asked);
	require(buf_add(&s->asked, url) == 0);
	return err_set(err, ERR_IO, "no answer");
}

static int answer(void *context, slice url, struct download_answer *ret_answer, struct err *err)
{
	struct script *s = context;
	slice next;

	require(slice_starts_with(url, SLICE("http://a.example/")));
	for (size_t i = 0; i < url.len; i++)
		require(url.ptr[i] > ' ' && url.ptr[i] < 0x7f);
	if (s->answers.len == 0)
		return note(s, url, ret_answer, err);
	next = slice_take(&s->answers, SEPARATOR);
	if (next.len > 0 && next.ptr[0] == '5')
		return note(s, url, ret_answer, err);
	*ret_answer = (struct download_answer){.status = 200, .fd = -1};
	if (next.len > 0 && (next.ptr[0] == '3' || next.ptr[0] == '4')) {
		ret_answer->status = next.ptr[0] == '3' ? 403 : 404;
		return 0;
	}
	next = slice_sub(next, next.len > 0, next.len);
	ret_answer->fd = spool(next);
	ret_answer->size = next.len;
	return 0;
}

/* What an import with this progress asks first. */
static void ask_first(enum remote_kind kind, slice progress, struct script *ret)
{
	struct listing_counts counts;
	struct remote remote;
	struct err err = {0};
	uint64_t seen = 0;

	require(remote_open(&remote, kind, ADDRESS, progress, (struct remote_server){note, ret},
			&err) == 0);
	require(remote_next(&remote, count, &seen, &counts, &err) == ERR_IO);
	remote_close(&remote);
}

/* Nothing is left to answer: the next request is the one that an interrupted import would make. */
static void check_resume(struct remote *r, struct script *s)
{
	struct script again = {0};
	struct listing_counts counts;
	struct err err = {0};
	uint64_t seen = 0;
	slice progress = remote_progress(r);
	int rc;

	if (s->answers.len > 0)
		return;
	buf_init(&again.asked, 1 << 20);
	if (progress.len > 0)
		ask_first(r->kind, progress, &again);
	rc = remote_next(r, count, &seen, &counts, &err);
	if (again.asked.len == 0)
		require(rc == ERR_END);
	else
		require(rc == ERR_IO && slice_eq(buf_slice(&again.asked), buf_slice(&s->asked)));
	buf_release(&again.asked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice rest = {(const char *)data, size}, progress;
	struct script script = {0};
	enum remote_kind kind;
	struct listing_counts counts = {0};
	struct remote remote;
	struct err err = {0};
	int rc;

	if (size == 0)
		return 0;
	kind = data[0] == 't' ? REMOTE_TIMEMAP : REMOTE_CDX;
	rest = slice_sub(rest, 1, size);
	progress = slice_take(&rest, SEPARATOR);
	script.answers = rest;
	buf_init(&script.asked, 1 << 20);
	rc = remote_open(
		&remote, kind, ADDRESS, progress, (struct remote_server){answer, &script}, &err);
	while (rc == 0) {
		uint64_t seen = 0;

		rc = remote_next(&remote, count, &seen, &counts, &err);
		require(rc != 0 || seen == counts.read);
		if (rc == 0)
			check_resume(&remote, &script);
	}
	require(rc == ERR_END || (err.code == rc && err.text[0] != '\0'));
	remote_close(&remote);
	buf_release(&script.asked);
	return 0;
}
