#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tap.h"

json_t *conformance_load(const char *path)
{
	const char *dir = getenv("STILLPOINT_CONFORMANCE");
	char file[4096];
	json_error_t error;
	json_t *root;

	if (dir)
		(void)snprintf(file, sizeof file, "%s/%s", dir, path);
	else
		(void)snprintf(
			file, sizeof file, "%s/../shared/data/conformance/%s", tap_srcdir(), path);
	if (access(file, R_OK)) {
		tap_skip("%s is not there", file);
		return NULL;
	}
	root = json_load_file(file, JSON_ALLOW_NUL, &error);
	if (!root)
		tap_fail(__FILE__, __LINE__, "%s:%d: %s", file, error.line, error.text);
	return root;
}

static int base64_value(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static size_t base64_decode(slice text, char *out)
{
	unsigned bits = 0;
	size_t n = 0, count = 0;

	for (size_t i = 0; i < text.len && base64_value(text.ptr[i]) >= 0; i++) {
		bits = bits << 6 | (unsigned)base64_value(text.ptr[i]);
		if (++count % 4 != 1)
			out[n++] = (char)(bits >> (6 - 2 * ((count - 1) % 4)));
	}
	return n;
}

slice conformance_bytes(const json_t *object, const char *key, char **ret_free)
{
	const json_t *text = json_object_get(object, key);
	char name[80];
	slice coded;

	*ret_free = NULL;
	if (text)
		return (slice){json_string_value(text), json_string_length(text)};
	(void)snprintf(name, sizeof name, "%s_base64", key);
	text = json_object_get(object, name);
	if (!text)
		return (slice){0};
	coded = (slice){json_string_value(text), json_string_length(text)};
	*ret_free = malloc(coded.len + 1);
	if (!*ret_free)
		return (slice){0};
	return (slice){*ret_free, base64_decode(coded, *ret_free)};
}
