/* Text for people: what tables on a terminal are made of. Errors stay in the FILE. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/slice.h"

enum {
	TEXT_DURATION_SIZE = 32,
	TEXT_SIZE_SIZE = 32,
	TEXT_RATE_SIZE = 48,
};

/* "0.9 s", "9 min 59 s", "2 h 13 min", "3 d 4 h": the two largest units. */
void text_duration(double seconds, char out[TEXT_DURATION_SIZE]);

/* "512 bytes", "1.4 MB": powers of 1000, as disks are sold. */
void text_size(uint64_t bytes, char out[TEXT_SIZE_SIZE]);

/* "about once in 3 days", "about 12 times a second", "hardly ever"; of changes per second. */
void text_rate(double rate, char out[TEXT_RATE_SIZE]);

/*
 * A name from a file, with "?" for what a terminal would obey and what is not UTF-8; cut with "…",
 * or filled with blanks, to exactly width columns, which are characters. Width 0: all of it.
 */
void text_name(FILE *file, slice name, size_t width);

/* "stillpoint COMMAND ARCHIVE" and the rest, to be copied into a shell, whatever the name is. */
void text_command(FILE *file, const char *command, const char *archive, const char *rest);

/* Columns that text_name needs for the whole name. */
size_t text_columns(slice name);

/* Writes a paragraph in lines of up to 80 columns (ASCII). */
void text_wrap(FILE *file, const char *text);

#endif
