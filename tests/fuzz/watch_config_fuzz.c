/* Configurations of a watch: any bytes are read, or refused in one line that begins with the file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/watch_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *leaks_of_others(void) __asm__("__lsan_default_suppressions");

/* As in yaml_fuzz.c. */
const char *leaks_of_others(void)
{
	return "leak:libfyaml";
}

/* A file of weights: what is found is a weight, and errors name their line. */
static void fuzz_weights(slice text)
{
	struct look_weights w;
	struct arena arena;
	struct err err = {0};
	double weight = 0;

	arena_init(&arena, (size_t)1 << 28);
	look_weights_init(&w, &arena);
	if (look_weights_parse(&w, "f", text, &arena, &err) && strncmp(err.text, "f:", 2) != 0)
		abort();
	if (look_weights_find(&w, SLICE("http://example.org/a"), &weight) &&
		!(weight >= 0 && weight <= LOOK_WEIGHT_MAX))
		abort();
	look_weights_release(&w);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct watch_config c;
	struct err err = {0};
	int rc = watch_config_parse(&c, "f", (slice){(const char *)data, size}, &err);

	if (rc == ERR_USAGE && (strncmp(err.text, "f:", 2) != 0 || strchr(err.text, '\n')))
		abort();
	if (rc == 0 && (c.site_count == 0 || !(c.requests > 0)))
		abort();
	if (rc == 0) /* false where a setting has a line break: then nothing can be stored */
		(void)watch_config_is_like(&c, &c);
	watch_config_release(&c);
	fuzz_weights((slice){(const char *)data, size});
	return 0;
}
