/* A net with short timeouts, and one fetch after the other, for the tests of this room. */
#ifndef TESTS_NET_FETCH_H
#define TESTS_NET_FETCH_H

#include "net/net.h"

/* Long enough for any machine; no test that passes waits so long. */
#define FETCH_PATIENCE 60.0

/* The default parameters, with spool files in a temporary directory. */
struct net_params fetch_params(void);

/* A net; the test ends when there is none. */
struct net *fetch_net(const struct net_params *params);

/* Begins GET origin + path with a tag. */
void fetch_begin(struct net *net, const char *origin, const char *path, uint64_t tag);

/* Waits for the next to finish; NULL, and a failed check, when patience is over. */
struct net_fetch *fetch_wait(struct net *net);

/* Both. Free with net_fetch_free, which takes NULL. */
struct net_fetch *fetch_get(struct net *net, const char *origin, const char *path);

/* Open descriptors of this process. */
unsigned fetch_descriptors(void);

/* Checks that they are as many as before. */
void fetch_check_descriptors(unsigned before);

#endif
