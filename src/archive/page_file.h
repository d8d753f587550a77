/*
 * Pages of a file, with what is known of each: a CSV file whose header has a column url (or page)
 * and may have rate, class and the offline features by their names, in any order and among others;
 * or a list of URLs, one in each line, with blanks and comments as in archive/text_input.h.
 */
#ifndef ARCHIVE_PAGE_FILE_H
#define ARCHIVE_PAGE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/api.h"
#include "base/csv.h"
#include "base/err.h"
#include "plan/rate_features.h"

enum { PAGE_FILE_OFFLINE = FEATURES - FEATURES_ONLINE, PAGE_FILE_LINE_SIZE = 32 << 10 };

/* Fields are the reader's own, but columns may be looked at: -1 where there is none. */
struct page_file {
	const char *path; /* borrowed */
	FILE *file;
	bool is_list;
	struct csv_reader csv;
	int url, rate, class, offline[PAGE_FILE_OFFLINE];
	uint64_t number; /* of the line */
	bool is_begun;   /* the line is read already */
	char line[PAGE_FILE_LINE_SIZE];
};

/* Slices are valid until the next call; numbers are NAN where they are missing. */
struct page_file_entry {
	slice url, class; /* class: empty where it is missing */
	double rate;
	float offline[PAGE_FILE_OFFLINE];
	uint64_t line;
};

/*
 * "-" is standard input. A file whose first line has no column url or page is a list, or an error
 * where lists are not wanted. 0, or an error with "PATH:LINE: …" or "PATH: …"; page_file_close is
 * safe after both.
 */
int page_file_open(
	struct page_file *f, const char *path, bool may_be_list, struct err *err) SP_MUST_CHECK;
void page_file_close(struct page_file *f);

/* 0, ERR_END, or an error as above. */
int page_file_next(struct page_file *f, struct page_file_entry *ret, struct err *err) SP_MUST_CHECK;

/* Puts the file and the line of an entry before what is wrong with it. Returns its code. */
int page_file_fail(const struct page_file *f, uint64_t line, struct err *err);

#endif
