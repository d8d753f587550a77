#include "import/listing_sitemap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "extract/sitemap.h"

#define SECOND INT64_C(1000000000)

static int64_t time_of(FILE *file)
{
	struct stat st;

	return fstat(fileno(file), &st) == 0 && st.st_mtim.tv_sec > 0
		       ? (int64_t)st.st_mtim.tv_sec * SECOND
		       : 0;
}

static int read_entries(struct sitemap_reader *reader, int64_t time, listed_sink *sink,
	void *context, struct listing_counts *counts, struct err *err)
{
	struct sitemap_entry entry;
	int rc;

	while ((rc = sitemap_next(reader, &entry, err)) == 0) {
		const char *word = sitemap_frequency_name(entry.changefreq);
		struct listed o = {
			.url = entry.loc, .time = time, .modified = sitemap_lastmod(&entry)};

		if (entry.is_sitemap)
			continue;
		o.frequency = word ? frequency_parse(slice_str(word)) : FREQUENCY_NONE;
		counts->read++;
		rc = sink(context, &o, err);
		if (rc)
			return rc;
	}
	if (sitemap_damage(reader))
		counts->bad++;
	return rc == ERR_END ? 0 : rc;
}

int listing_read_sitemap(const char *path, listed_sink *sink, void *context,
	struct listing_counts *counts, struct err *err)
{
	struct sitemap_reader *reader = NULL;
	FILE *file = file_stream(path, "re");
	int rc;

	if (!file)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	rc = sitemap_open_file(&reader, file, SLICE(""), err);
	if (rc == 0)
		rc = read_entries(reader, time_of(file), sink, context, counts, err);
	sitemap_close(reader);
	(void)fclose(file);
	return rc;
}
