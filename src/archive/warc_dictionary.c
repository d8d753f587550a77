#include "archive/warc_dictionary.h"

#include <stdlib.h>
#include <zstd_errors.h>

static bool is_compressed(slice b)
{
	return b.len >= 4 && memcmp(b.ptr, "\x28\xb5\x2f\xfd", 4) == 0;
}

/* Loads what rc bytes at data are; passes an error code of zstd on. */
static size_t load_plain(ZSTD_DCtx *decoder, const char *data, size_t rc)
{
	return ZSTD_isError(rc) ? rc : ZSTD_DCtx_loadDictionary(decoder, data, rc);
}

static size_t load_compressed(ZSTD_DCtx *decoder, slice content, size_t room)
{
	char *plain = malloc(room + 1);
	size_t rc;

	if (!plain)
		return (size_t)-ZSTD_error_memory_allocation;
	rc = load_plain(decoder, plain, ZSTD_decompress(plain, room, content.ptr, content.len));
	free(plain);
	return rc;
}

int warc_dictionary_load(ZSTD_DCtx *decoder, slice content, struct err *err)
{
	unsigned long long size = content.len;
	size_t rc;

	/* A frame that does not tell its size may be as large as we allow. */
	if (is_compressed(content))
		size = ZSTD_getFrameContentSize(content.ptr, content.len);
	if (size == ZSTD_CONTENTSIZE_UNKNOWN)
		size = WARC_DICTIONARY_MAX;
	if (size > WARC_DICTIONARY_MAX)
		return err_set(err, ERR_LIMIT, "zstd dictionary is too large or damaged");
	if (is_compressed(content))
		rc = load_compressed(decoder, content, (size_t)size);
	else
		rc = load_plain(decoder, content.ptr, content.len);
	if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
		return err_code(err, ERR_NOMEM);
	if (ZSTD_isError(rc))
		return err_set(err, ERR_SYNTAX, "zstd dictionary: %s", ZSTD_getErrorName(rc));
	return 0;
}
