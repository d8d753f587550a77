#include "net/h2.h"

#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"
#include "http/fields.h"

#define VERSION   "HTTP/2"
#define AS_IF     "HTTP/1.1"
#define END_OLD   " " VERSION "\r\n"
#define DIGITS_AT (sizeof VERSION " " - 1)

/* RFC 9110, section 15, and RFC 6585. Readers want a word there; none is wrong. */
static const struct {
	unsigned status;
	const char *text;
} REASONS[] = {
	{100, "Continue"},
	{103, "Early Hints"},
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{203, "Non-Authoritative Information"},
	{204, "No Content"},
	{205, "Reset Content"},
	{206, "Partial Content"},
	{300, "Multiple Choices"},
	{301, "Moved Permanently"},
	{302, "Found"},
	{303, "See Other"},
	{304, "Not Modified"},
	{307, "Temporary Redirect"},
	{308, "Permanent Redirect"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{402, "Payment Required"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{406, "Not Acceptable"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{410, "Gone"},
	{421, "Misdirected Request"},
	{425, "Too Early"},
	{429, "Too Many Requests"},
	{451, "Unavailable For Legal Reasons"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
};

static const char *reason_of(uint64_t status)
{
	for (size_t i = 0; i < sizeof REASONS / sizeof REASONS[0]; i++) {
		if (REASONS[i].status == status)
			return REASONS[i].text;
	}
	return "Unknown";
}

static int add_status_line(slice line, struct buf *out)
{
	slice digits = fields_trim(slice_sub(line, DIGITS_AT, line.len));
	uint64_t status;

	/* What is no status is left as it is: no reader will take it for one. */
	if (parse_u64(digits, &status))
		return buf_add(out, line);
	return buf_printf(out, AS_IF " %llu %s\r\n", (unsigned long long)status, reason_of(status));
}

/* Section 8.2.2: a response that has one of these is malformed. They would change the framing. */
static bool is_of_connection(slice line)
{
	static const slice NAMES[] = {
		SLICE_INIT("connection:"),
		SLICE_INIT("keep-alive:"),
		SLICE_INIT("proxy-connection:"),
		SLICE_INIT("transfer-encoding:"),
		SLICE_INIT("upgrade:"),
	};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
		if (word_starts(line, NAMES[i]))
			return true;
	}
	return false;
}

int h2_add_line(slice line, struct buf *out)
{
	if (slice_eq(slice_sub(line, 0, DIGITS_AT), SLICE(VERSION " ")))
		return add_status_line(line, out);
	return is_of_connection(line) ? 0 : buf_add(out, line);
}

int h2_mend_request(struct buf *head)
{
	const char *end = head->len ? memchr(head->ptr, '\n', head->len) : NULL;
	size_t line = end ? (size_t)(end - head->ptr) + 1 : 0, at;
	int rc;

	if (line < strlen(END_OLD) ||
		memcmp(head->ptr + line - strlen(END_OLD), END_OLD, strlen(END_OLD)) != 0)
		return 0;
	at = line - strlen(VERSION "\r\n");
	rc = buf_reserve(head, strlen(AS_IF) - strlen(VERSION));
	if (rc)
		return rc;
	memmove(head->ptr + at + strlen(AS_IF), head->ptr + at + strlen(VERSION),
		head->len - at - strlen(VERSION) + 1);
	memcpy(head->ptr + at, AS_IF, strlen(AS_IF));
	head->len += strlen(AS_IF) - strlen(VERSION);
	return 0;
}
