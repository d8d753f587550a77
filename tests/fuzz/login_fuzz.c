/*
 * Login files: any bytes are a login or are refused with a sentence; a login has what it takes, and
 * its own page may get the password.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crawl/login.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check(const struct login_file *f)
{
	struct url url;

	require(f->url && f->sentinel && f->sentinel[0] && f->fields.len > 0 && f->allow.len > 0);
	for (size_t i = 0; i < f->fields.len; i++)
		require(f->fields.ptr[i].name.len > 0);
	url_init(&url);
	require(url_parse(&url, slice_str(f->url), NULL, NULL) == 0 && url_is_http(&url));
	require(login_file_allows(f, &url));
	url_release(&url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("login", MFD_CLOEXEC);
	struct login_file file = {0};
	struct err err = {0};
	char path[64];
	int rc;

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	rc = login_file_read(&file, path, &err);
	require(rc == 0 || (err.code == rc && err.text[0] && rc != ERR_NOMEM));
	if (rc == 0)
		check(&file);
	login_file_release(&file);
	(void)close(fd);
	return 0;
}
