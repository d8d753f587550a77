/* Feeds every file of a corpus to a fuzz target, one case each: what libFuzzer found stays found.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file's bytes, exactly as many as allocated, so that ASan sees the first one read behind. */
static uint8_t *read_exactly(const char *path, size_t *ret_size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size;

	if (!f)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0)
		data = malloc(size > 0 ? (size_t)size : 1);
	if (data)
		*ret_size = fread(data, 1, (size_t)size, f);
	(void)fclose(f);
	return data;
}

static void replay(const char *dir, const char *name)
{
	char path[4096];
	size_t size = 0;
	uint8_t *data;

	tap_case("%s", name);
	(void)snprintf(path, sizeof path, "%s/%s", dir, name);
	data = read_exactly(path, &size);
	if (CHECK(data != NULL))
		CHECK_INT(LLVMFuzzerTestOneInput(data, size), 0);
	free(data);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	int count;

	tap_init(1, argv);
	tap_case("the corpus has files");
	count = argc == 2 ? scandir(argv[1], &names, is_visible, alphasort) : -1;
	CHECK(count > 0);
	for (int i = 0; i < count; i++) {
		replay(argv[1], names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return tap_done();
}
