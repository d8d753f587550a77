/*
 * The names by which a server may be asked. A page of the live web can have its own name point to
 * us and then read our answers (DNS rebinding), so any other name is refused.
 */
#ifndef HTTPD_HOSTS_H
#define HTTPD_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Besides localhost and addresses; borrowed. */
struct httpd_names {
	const char *const *ptr;
	size_t len;
};

/*
 * Whether a Host field, without its port, is ours: none at all, "localhost", the address that is
 * listened on (any numeric address, where that means all of them), or one of the names.
 */
bool hosts_allow(slice host, const char *address, const struct httpd_names *names);

#endif
