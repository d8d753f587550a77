/*
 * How to log in by a form, from a YAML file:
 *
 *	url: https://example.org/login
 *	fields: {user: me, password: secret}
 *	sentinel: Log out
 *	check: https://example.org/account
 *	allow: [https://accounts.example.org]
 *
 * The sentinel is a text that only pages for users who are logged in have. It is looked for on the
 * page that the login leads to or, if there is one, at the URL `check`. The password is sent to the
 * origin of `url` (scheme, host, port) and to those that `allow` names. All of it is a secret: it
 * is never written anywhere, and messages do not repeat it.
 */
#ifndef CRAWL_LOGIN_FILE_H
#define CRAWL_LOGIN_FILE_H

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"
#include "config/yaml.h"
#include "url/url.h"

struct login_field {
	slice name, value;
};

VEC_DECLARE(login_fields, struct login_field);

/* Zero-initialise. Strings are the document's. */
struct login_file {
	struct yaml yaml;
	const char *url;
	const char *sentinel;
	const char *check;      /* or NULL */
	struct slice_vec allow; /* origins: "https://host:443" */
	struct login_fields fields;
};

/* 0, ERR_USAGE with FILE:LINE:COLUMN, ERR_NOMEM. Release in any case. */
int login_file_read(struct login_file *f, const char *path, struct err *err) SP_MUST_CHECK;

/* Whether a password may go there: to the origin of `url`, over https too, or to an allowed one. */
bool login_file_allows(const struct login_file *f, const struct url *target);
void login_file_release(struct login_file *f);

#endif
