/*
 * What values look like: drawn at random, two independent draws, a machine's time, a number. These
 * tests carry the safety of the rules: real tokens never change by one character, edits mostly do.
 */
#ifndef PROOF_VALUES_H
#define PROOF_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"

/* Changes of the class of character are as frequent as in random text, not as in names. */
bool value_is_mixed(slice s);

/*
 * Two draws, not an edit of one: after the common start (at most two thirds of it) at least three
 * characters remain, and at most half of them agree, read forwards and backwards. Of values below
 * 12 characters both are at most a third.
 */
bool value_is_fresh(slice a, slice b);

/* The same for places whose name vouches for a draw: at most half agrees, whatever the length. */
bool value_are_apart(slice a, slice b);

/*
 * Of letters, digits and what tokens are made of, at least min bytes, both drawn at random, of
 * about the same length, and fresh.
 */
bool value_are_draws(slice a, slice b, size_t min);

/* The same, perhaps behind an equal start that ends at a separator: "page:x;RANDOM". */
bool value_are_draws_at_end(slice a, slice b, size_t min);

/*
 * For places whose name says that a secret lives there: shorter ones too, but no word, no number
 * of a few digits, and fresh.
 */
bool value_are_secrets(slice a, slice b);

/* One of them: no word, no number of a few digits. */
bool value_is_secret(slice s);

/* Apart, and no two words: where only draws of one length stand. */
bool value_are_drawn_apart(slice a, slice b);

/* Length of the equal start of both, up to and with its last separator. */
size_t value_equal_start(slice a, slice b);

/* Ten letters and digits each, apart: what WordPress draws for a post that it embeds. */
bool value_are_embed_secrets(slice a, slice b);

/* "1.5", "-3e4", "12 ms": what a clock measured. */
bool value_is_measure(slice s);

/* A number, or 4 to 64 letters, digits and "_-.:", a digit among them. */
bool value_is_word(slice s);

/* Whether a list of words between bars, "|jan|feb|", has it, in any case of its ASCII letters. */
bool value_is_listed(slice word, const char *list);

bool value_is_digits(slice s);
bool value_is_hex(slice s);
bool value_has_digit(slice s);

struct value_time {
	double at;      /* seconds since 1970, in UTC where no zone is named */
	bool is_day;    /* no time of day was given: at is its midnight */
	bool is_clock;  /* no day was given: at is seconds of the day */
	bool is_number; /* a count of seconds or parts of them */
	bool is_local;  /* of a time zone that is not named */
	bool is_round;  /* a whole minute: people's times are */
	bool has_seconds;
};

/* A time as machines write it; all of s. */
bool value_time(slice s, struct value_time *ret_time);

/* The times of the two looks in seconds since 1970; 0: not known. */
struct value_looks {
	double a, b;
};

static inline bool value_looks_known(const struct value_looks *looks)
{
	return looks->a > 0 && looks->b > 0;
}

/* How the time of a place has to do with the look. */
enum value_time_use {
	TIME_NOW = 1 << 0,     /* of the look itself */
	TIME_END = 1 << 1,     /* as long behind it as in the other look, in whole minutes */
	TIME_RENEWED = 1 << 2, /* past at the earlier look, and between the two at the later */
	TIME_DAY = 1 << 3,     /* a day without a time: that of the look */
};

/*
 * Whether two times fit the looks that saw them in one of these ways (a set of enum
 * value_time_use). Days and times without a zone fit in any one zone that there is.
 */
bool value_times_fit(const struct value_looks *looks, unsigned uses, slice a, slice b);

/* Seconds, or parts of them, since 1970: those of the looks. Also PHP's uniqid, which begins so. */
bool value_are_counts_of_now(const struct value_looks *looks, slice a, slice b);

/* By how much two looks may differ in that: an eighth of the time between them, 10 s to 2 h. */
double value_tolerance(const struct value_looks *looks);

#endif
