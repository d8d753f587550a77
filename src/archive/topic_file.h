/*
 * Example pages of a topic: a file, or all files of a directory (not of those in it). HTML is read
 * for its visible text, anything else is taken as text.
 */
#ifndef ARCHIVE_TOPIC_FILE_H
#define ARCHIVE_TOPIC_FILE_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"

enum {
	TOPIC_FILES_MAX = 1000,    /* of a directory; more are an error */
	TOPIC_FILE_MAX = 16 << 20, /* bytes of each that are read */
};

/*
 * Appends the topic as one line (text/topic.h). 0; ERR_USAGE with "PATH: …" when it cannot be read,
 * or has no words.
 */
int topic_file_read(const char *path, struct buf *out, struct err *err) SP_MUST_CHECK;

#endif
