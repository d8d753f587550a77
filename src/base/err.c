#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *err_name(int code)
{
	switch (code) {
	case ERR_OK:
		return "ok";
#define X(name, value, text) \
	case name:           \
		return text;
		ERR_CODES(X)
#undef X
	default:
		return "unknown error";
	}
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	return code;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	char old[ERR_TEXT_MAX];
	va_list ap;
	int n;

	if (!err)
		return;
	memcpy(old, err->text, sizeof old);
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof err->text)
		(void)snprintf(err->text + n, sizeof err->text - (size_t)n, ": %s", old);
}
