#include "living/served.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "living/change.h"
#include "living/lies.h"
#include "living/noise.h"

enum { NS_PER_MS = 1000000 };

int served_open(struct served *s, const char *name, struct err *err)
{
	*s = (struct served){.file = file_stream(name, "we")};
	if (!s->file)
		return err_set(err, ERR_IO, "%.200s: %s", name, strerror(errno));
	(void)pthread_mutex_init(&s->lock, NULL);
	return 0;
}

int served_close(struct served *s, struct err *err)
{
	int rc = s->failed;

	if (!s->file)
		return 0;
	if (fclose(s->file) != 0 && rc == 0)
		rc = ERR_IO;
	(void)pthread_mutex_destroy(&s->lock);
	*s = (struct served){0};
	return rc ? err_set(err, rc, "the log of responses could not be written") : 0;
}

static void put_version(FILE *file, uint32_t version)
{
	if (version == LIVING_GONE)
		(void)fputs("gone", file);
	else
		(void)fprintf(file, "%" PRIu32, version);
}

/* The names of a set; "-" when it is empty. */
static void put_set(FILE *file, unsigned set, const char *(*name)(unsigned))
{
	const char *before = "\t";

	if (set == 0)
		(void)fputs("\t-", file);
	for (unsigned i = 0; set >> i; i++)
		if (set >> i & 1) {
			(void)fprintf(file, "%s%s", before, name(i));
			before = ",";
		}
}

static void put_line(FILE *file, const struct served_line *line)
{
	(void)fprintf(file, "%" PRId64 "\t%" PRIu64 "\t%s\t", line->at_ns / NS_PER_MS, line->number,
		line->host);
	(void)fwrite(line->path.ptr, 1, line->path.len, file);
	(void)fprintf(file, "\t%u\t", line->status);
	if (line->content) {
		(void)fputs(line->content, file);
	} else {
		put_version(file, line->shown);
		if (line->variant[0])
			(void)fprintf(file, "+%s", line->variant);
	}
	(void)putc('\t', file);
	if (line->no_resource)
		(void)putc('-', file);
	else
		put_version(file, line->version);
	(void)fprintf(file, "\t%" PRId64, line->shown_ns / NS_PER_MS);
	put_set(file, line->lies, lies_name);
	put_set(file, line->noise, noise_name);
	(void)putc('\n', file);
}

int served_write(struct served *s, const struct served_line *line)
{
	int rc;

	if (!s->file)
		return 0;
	(void)pthread_mutex_lock(&s->lock);
	put_line(s->file, line);
	if ((fflush(s->file) != 0 || ferror(s->file)) && !s->failed)
		s->failed = ERR_IO;
	rc = s->failed;
	(void)pthread_mutex_unlock(&s->lock);
	return rc;
}

int served_failed(struct served *s)
{
	int rc;

	if (!s->file)
		return 0;
	(void)pthread_mutex_lock(&s->lock);
	rc = s->failed;
	(void)pthread_mutex_unlock(&s->lock);
	return rc;
}
