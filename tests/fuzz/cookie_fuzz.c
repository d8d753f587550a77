/* Cookies: any head fills a jar within its bounds, any file is read or refused. */
#include <stdint.h>
#include <stdlib.h>

#include "net/cookie.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(struct jar *jar, const struct url *url)
{
	struct buf field;

	buf_init(&field, JAR_FIELD_MAX);
	if (jar_cookies(jar, url, 1, &field))
		abort();
	for (size_t i = 0; i < field.len; i++)
		if (field.ptr[i] == '\r' || field.ptr[i] == '\n' || field.ptr[i] == '\0')
			abort();
	buf_release(&field);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice text = {(const char *)data, size};
	struct jar jar = {0};
	struct err err = {0};
	struct url url;

	url_init(&url);
	if (url_parse(&url, SLICE("https://www.example.org/a/b"), NULL, NULL) ||
		jar_take(&jar, &url, text, 1))
		abort();
	ask(&jar, &url);
	if (jar_read(&jar, text, 1, &err) == 0)
		ask(&jar, &url);
	if (jar.cookies.len > JAR_COUNT || jar.bytes > JAR_TEXT_MAX)
		abort();
	jar_release(&jar);
	url_release(&url);
	return 0;
}
