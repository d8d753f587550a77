/* Configurations of a watch: any bytes are read, or refused in one line that begins with the file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "watch/watch_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void); /* NOLINT: the sanitizer's name */

/* As in yaml_fuzz.c. */
const char *__lsan_default_suppressions(void) /* NOLINT */
{
	return "leak:libfyaml";
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
	return 0;
}
