#include "base/log.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

enum {
	MESSAGE_SIZE = 4096,
	LINE_MAX_BYTES = 8 * MESSAGE_SIZE, /* every byte may be escaped */
};

static struct log_config sink;
static struct live *beside; /* on the same terminal; or NULL */

static const char *const LEVEL_NAMES[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARN] = "warn",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

void log_setup(const struct log_config *config)
{
	sink = *config;
	if (!sink.clock)
		sink.clock = clock_system();
}

void log_share(struct live *lines)
{
	beside = lines;
}

/* One call, so that the FILE's lock, or that of the lines, keeps the line in one piece. */
static void put(slice line)
{
	if (beside)
		live_print(beside, sink.file, line);
	else if (fwrite(line.ptr, 1, line.len, sink.file) == line.len)
		(void)fflush(sink.file);
}

bool log_enabled(enum log_level level)
{
	return sink.file && level <= sink.level;
}

static int add_escaped(struct buf *line, const char *text)
{
	int rc = 0;

	while (*text && rc == 0) {
		size_t control = utf8_control((const unsigned char *)text, strlen(text));

		for (; rc == 0 && control > 0; control--)
			rc = buf_printf(line, "\\x%02x", (unsigned char)*text++);
		if (rc == 0 && *text && !utf8_control((const unsigned char *)text, strlen(text)))
			rc = buf_add_char(line, *text++);
	}
	return rc;
}

void log_write(enum log_level level, const char *component, const char *fmt, ...)
{
	char message[MESSAGE_SIZE], now[CLOCK_TEXT_SIZE];
	struct buf line;
	va_list ap;
	int rc;

	if (!log_enabled(level))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	clock_format(clock_realtime(sink.clock), CLOCK_ROUND_DOWN, now);
	buf_init(&line, LINE_MAX_BYTES);
	rc = buf_printf(&line, "%s %s %s: ", now, LEVEL_NAMES[level], component);
	if (rc == 0)
		rc = add_escaped(&line, message);
	if (rc == 0)
		rc = buf_add_char(&line, '\n');
	if (rc == 0)
		put(buf_slice(&line));
	buf_release(&line);
}
