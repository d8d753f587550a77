/* Addresses of servers: their classes, the guard, and ports that are refused. */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

/* ---- addresses ---- */

/*
 * Internet addresses, and which of them are nobody's business: the special-purpose registries of
 * IANA (RFC 6890 and what was added since), and where clouds keep the secrets of their machines.
 * All are pure.
 */

struct sockaddr;

enum {
	ADDRESS_V4_SIZE = 4,
	ADDRESS_V6_SIZE = 16,
	ADDRESS_TEXT_SIZE = 48, /* of address_format, with its NUL */
};

struct address {
	uint8_t size; /* ADDRESS_V4_SIZE or ADDRESS_V6_SIZE */
	uint8_t bytes[ADDRESS_V6_SIZE];
};

/* With the words of a sentence: "10.1.2.3 is a private address". */
#define ADDRESS_CLASSES(X)                                                         \
	X(ADDRESS_PUBLIC, "a public address")                                      \
	X(ADDRESS_LOOPBACK, "this machine's own address")                          \
	X(ADDRESS_PRIVATE, "a private address")                                    \
	X(ADDRESS_SHARED, "an address behind a provider's translator")             \
	X(ADDRESS_LINK_LOCAL, "an address of the local link")                      \
	X(ADDRESS_METADATA, "where a cloud keeps what its machines must not tell") \
	X(ADDRESS_MULTICAST, "an address of many machines")                        \
	X(ADDRESS_RESERVED, "an address that no public server has") /* documentation, … */

enum address_class {
#define X(name, words) name,
	ADDRESS_CLASSES(X)
#undef X
};

/* Sets of classes. Public ones are in every set. */
#define ADDRESS_SET(class) (1U << (class))
#define ADDRESS_ALL        (~0U)

struct address_range {
	enum address_class class;
	const char *text; /* "10.0.0.0/8"; "" for public ones */
};

/*
 * The range that an address is in; constant. One that has an IPv4 address within it and leads there
 * (mapped, translated, 6to4, NAT64, Teredo) is in the range of that.
 */
const struct address_range *address_range(const struct address *a);

bool address_is_allowed(const struct address *a, unsigned set);

/* "10.1.2.3 is a private address (10.0.0.0/8)" */
void address_explain(const struct address *a, char *out, size_t size);

bool address_equal(const struct address *a, const struct address *b);

/* As the system writes it, without brackets. */
void address_format(const struct address *a, char out[ADDRESS_TEXT_SIZE]);

/* Of a URL's host (IPv6 in brackets) or of address_format; false when it is a name. */
bool address_parse(slice text, struct address *ret);

/* False when the family is another one. */
bool address_of_socket(const struct sockaddr *from, struct address *ret);

/* Whether a name means this machine without asking anybody: localhost, *.localhost (RFC 6761). */
bool address_name_is_local(slice name);

/* ---- ports ---- */

/*
 * Ports of services that are not the web: the block list of the WHATWG Fetch Standard, section 2.9
 * ("Port blocking"), which browsers keep to, and that of Redis. A page could make us say something
 * there that such a service takes for a command.
 */

bool port_is_refused(unsigned port);

/* "port 25 belongs to another service than the web, and browsers refuse it" */
void port_explain(unsigned port, char *out, size_t size);

#endif
