/*
 * How to log in by a form, from a YAML file:
 *
 *	url: https://example.org/login
 *	fields: {user: me, password: secret}
 *	sentinel: Log out
 *	check: https://example.org/account
 *
 * The sentinel is a text that only pages for users who are logged in have. It is looked for on the
 * page that the login leads to or, if there is one, at the URL `check`. All of it is a secret: it
 * is never written anywhere, and messages do not repeat it.
 */
#ifndef CRAWL_LOGIN_FILE_H
#define CRAWL_LOGIN_FILE_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "config/yaml.h"

struct login_field {
	slice name, value;
};

VEC_DECLARE(login_fields, struct login_field);

/* Zero-initialise. Strings are the document's. */
struct login_file {
	struct yaml yaml;
	const char *url;
	const char *sentinel;
	const char *check; /* or NULL */
	struct login_fields fields;
};

/* 0, ERR_USAGE with FILE:LINE:COLUMN, ERR_NOMEM. Release in any case. */
int login_file_read(struct login_file *f, const char *path, struct err *err) SP_MUST_CHECK;
void login_file_release(struct login_file *f);

#endif
