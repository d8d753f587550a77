#include "cmd/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "formats/media_type.h"

static int feed(struct page *page, FILE *file, const char *path, struct err *err)
{
	char chunk[PAGE_STEP];
	size_t n;
	int rc = 0;

	while (rc == 0 && (n = fread(chunk, 1, sizeof chunk, file)) > 0)
		rc = page_feed(page, (slice){chunk, n});
	if (rc == 0 && ferror(file))
		return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (rc == 0)
		rc = page_finish(page);
	return rc ? err_set(err, rc, "%s: %s", path, err_name(rc)) : 0;
}

int document_read(const char *path, const char *type, struct links *links, struct page_text *text,
	struct err *err)
{
	struct page_params params = {.links = links, .text = text};
	FILE *file = cmd_open_input(path, err);
	struct page *page;
	int rc;

	if (!file)
		return ERR_IO;
	page = malloc(sizeof *page);
	if (page) {
		params.content_type = type ? slice_str(type) : media_type_of_path(path);
		page_open(page, &params);
		rc = feed(page, file, path, err);
		page_close(page);
	} else {
		rc = err_code(err, ERR_NOMEM);
	}
	cmd_close_input(file);
	free(page);
	return rc;
}
