#include "store/our_file.h"

#include "archive/warc_reader.h"
#include "base/word.h"

static bool says_so(slice block)
{
	while (block.len > 0) {
		slice value = slice_take(&block, '\n'), name = slice_take(&value, ':');

		if (word_is(name, SLICE("software")))
			return slice_starts_with(word_trim(value), SLICE("stillpoint/"));
	}
	return false;
}

bool our_file_is_source(const struct warc_source *source)
{
	const struct warc_record *rec;
	struct warc_reader *r = NULL;
	struct err ignored = {0};
	slice bytes;
	bool ours = warc_reader_open_source(source, WARC_READER_UNCHECKED, &r, &ignored) == 0 &&
		    warc_reader_next(r, &rec, &ignored) == 0 && !rec->is_gap &&
		    rec->header.type == WARC_TYPE_WARCINFO &&
		    warc_reader_block(r, &bytes, &ignored) == 0 && says_so(bytes);

	warc_reader_close(r);
	return ours;
}
