#include "httpd/httpd_log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"

enum {
	LINE_MAX_SIZE = 64 << 10,
};

struct httpd_log {
	const char *path;
	pthread_mutex_t lock;
	FILE *file;
};

static int open_file(const char *path, FILE **ret, struct err *err)
{
	FILE *file = file_stream(path, "ab");

	if (!file)
		return err_set(err, ERR_IO, "%s: %s", path, file_problem(errno));
	*ret = file;
	return 0;
}

int httpd_log_open(const char *path, struct httpd_log **ret, struct err *err)
{
	struct httpd_log *l = calloc(1, sizeof *l);
	int rc = l ? open_file(path, &l->file, err) : err_code(err, ERR_NOMEM);

	if (rc) {
		free(l);
		return rc;
	}
	l->path = path;
	(void)pthread_mutex_init(&l->lock, NULL);
	*ret = l;
	return 0;
}

void httpd_log_close(struct httpd_log *l)
{
	if (!l)
		return;
	(void)fclose(l->file);
	(void)pthread_mutex_destroy(&l->lock);
	free(l);
}

int httpd_log_reopen(struct httpd_log *l, struct err *err)
{
	FILE *file = NULL;
	int rc = open_file(l->path, &file, err);

	if (rc)
		return rc;
	(void)pthread_mutex_lock(&l->lock);
	(void)fclose(l->file);
	l->file = file;
	(void)pthread_mutex_unlock(&l->lock);
	return 0;
}

/* As Apache does it. */
static int add_quoted(struct buf *out, const char *text)
{
	int rc = 0;

	for (const char *s = text && *text ? text : "-"; rc == 0 && *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			rc = buf_printf(out, "\\%c", c);
		else if (c < ' ' || c > '~')
			rc = buf_printf(out, "\\x%02x", (unsigned)c);
		else
			rc = buf_add_char(out, (char)c);
	}
	return rc;
}

static int add_address(struct buf *out, const struct in6_addr *a)
{
	char text[INET6_ADDRSTRLEN] = "-";

	if (IN6_IS_ADDR_V4MAPPED(a))
		(void)inet_ntop(AF_INET, a->s6_addr + 12, text, sizeof text);
	else
		(void)inet_ntop(AF_INET6, a, text, sizeof text);
	return buf_add_str(out, text);
}

static int add_time(struct buf *out, int64_t ns)
{
	static const char *const MONTHS[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t seconds = (time_t)(ns / CLOCK_NS_PER_SECOND);
	struct tm t;

	(void)gmtime_r(&seconds, &t);
	return buf_printf(out, " - - [%02d/%s/%04d:%02d:%02d:%02d +0000] \"", t.tm_mday,
		MONTHS[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

static int add_line(struct buf *out, const struct httpd_logged *x)
{
	int rc = add_address(out, &x->address);

	if (rc == 0)
		rc = add_time(out, x->time);
	if (rc == 0)
		rc = add_quoted(out, x->method);
	if (rc == 0)
		rc = buf_add_char(out, ' ');
	if (rc == 0)
		rc = add_quoted(out, x->target);
	if (rc == 0)
		rc = buf_add_char(out, ' ');
	if (rc == 0)
		rc = add_quoted(out, x->version);
	if (rc == 0)
		rc = buf_printf(out, "\" %u %llu \"", x->status, (unsigned long long)x->size);
	if (rc == 0)
		rc = add_quoted(out, x->referer);
	if (rc == 0)
		rc = buf_add_str(out, "\" \"");
	if (rc == 0)
		rc = add_quoted(out, x->agent);
	return rc ? rc : buf_add_str(out, "\"\n");
}

/*
 * One write, so that lines of several threads and programs do not mix. A log that cannot be written
 * keeps nobody from reading.
 */
void httpd_log_write(struct httpd_log *l, const struct httpd_logged *x)
{
	struct buf line;

	buf_init(&line, LINE_MAX_SIZE);
	if (add_line(&line, x) == 0) {
		(void)pthread_mutex_lock(&l->lock);
		if (fwrite(line.ptr, 1, line.len, l->file) != line.len || fflush(l->file))
			clearerr(l->file);
		(void)pthread_mutex_unlock(&l->lock);
	}
	buf_release(&line);
}
