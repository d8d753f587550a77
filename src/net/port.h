/*
 * Ports of services that are not the web: the block list of the WHATWG Fetch Standard, section 2.9
 * ("Port blocking"), which browsers keep to, and that of Redis. A page could make us say something
 * there that such a service takes for a command.
 */
#ifndef NET_PORT_H
#define NET_PORT_H

#include <stdbool.h>
#include <stddef.h>

bool port_is_refused(unsigned port);

/* "port 25 belongs to another service than the web, and browsers refuse it" */
void port_explain(unsigned port, char *out, size_t size);

#endif
