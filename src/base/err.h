/*
 * Errors. A fallible function returns 0 or one of the negative codes below; the sentence a person
 * reads goes into a struct err that the caller passes down and the command prints.
 *
 * The rule: a function that takes a struct err fills it whenever it fails, with the code that it
 * returns. What it gets from such a function it passes on as it is; what it gets from one without
 * a struct err (a push, a parse) it passes through err_code or gives a sentence with err_set.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/api.h"

#define ERR_CODES(X)                                   \
	X(ERR_NOMEM, -1, "out of memory")              \
	X(ERR_IO, -2, "input or output failed")        \
	X(ERR_SYNTAX, -3, "malformed input")           \
	X(ERR_RANGE, -4, "value out of range")         \
	X(ERR_LIMIT, -5, "limit exceeded")             \
	X(ERR_EXISTS, -6, "already there")             \
	X(ERR_NOTFOUND, -7, "not found")               \
	X(ERR_USAGE, -8, "wrong usage")                \
	X(ERR_STATE, -9, "not possible in this state") \
	X(ERR_UNSUPPORTED, -10, "not supported")       \
	X(ERR_END, -11, "end of input")                \
	X(ERR_STOPPED, -12, "stopped before the end")

enum err_code {
	ERR_OK = 0,
#define X(name, value, text) name = (value),
	ERR_CODES(X)
#undef X
};

enum { ERR_TEXT_MAX = 512 };

/* Caller-owned; zero-initialise before use. A later err_set replaces the text. */
struct err {
	int code;
	char text[ERR_TEXT_MAX];
};

/* Constant text for a code; never NULL. */
const char *err_name(int code);

/*
 * Records code and text (cut at ERR_TEXT_MAX) and returns code, so that a failure is one line:
 * `return err_set(err, ERR_RANGE, "…")`. err may be NULL.
 */
int err_set(struct err *err, int code, const char *fmt, ...) SP_PRINTF(3, 4);

/*
 * Sees to it that err holds a sentence for code, and returns code: `return err_code(err, rc)`.
 * 0 changes nothing; a sentence that err holds for this code stays; otherwise it becomes
 * err_name(code). err may be NULL.
 */
static inline int err_code(struct err *err, int code)
{
	if (code && err && err->code != code)
		(void)err_set(err, code, "%s", err_name(code));
	return code;
}

/*
 * Returns from the function with what the call returned, unless that is 0. For a sequence of steps
 * that each may fail; what must be released on the way is SCOPED (base/api.h).
 */
#define TRY(call)                       \
	__extension__({                 \
		int try_rc_ = (call);   \
                                        \
		if (try_rc_)            \
			return try_rc_; \
	})

/* Tells what another one holds: copies it unless it is empty, and returns its code. */
static inline int err_copy(struct err *err, const struct err *from)
{
	if (from->code && err)
		*err = *from;
	return from->code;
}

/* Puts "prefix: " before the text that is there already (file and line, for instance). */
void err_prefix(struct err *err, const char *fmt, ...) SP_PRINTF(2, 3);

#endif
