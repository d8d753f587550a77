#include "base/clock.h"

#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

enum {
	OFFSET_READINGS = 5,
	MS_PER_SECOND = 1000,
	NS_PER_MS = 1000000,
	SECONDS_PER_DAY = 86400,
	DAYS_PER_ERA = 146097, /* 400 years: the calendar repeats */
	DAYS_TO_1970 = 719468, /* from 0000-03-01, where the first era begins */
};

static int64_t nanoseconds(const struct timespec *t)
{
	return (int64_t)t->tv_sec * CLOCK_NS_PER_SECOND + t->tv_nsec;
}

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	/* Cannot fail for the two clocks asked for here. */
	(void)clock_gettime(id, &t);
	return nanoseconds(&t);
}

/* CLOCK_MONOTONIC stands still while the machine is suspended; the web does not. */
static int64_t system_monotonic(const struct clock *c)
{
#ifdef CLOCK_BOOTTIME
	struct timespec t;

	if (clock_gettime(CLOCK_BOOTTIME, &t) == 0)
		return nanoseconds(&t);
#endif
	(void)c;
	return read_clock(CLOCK_MONOTONIC);
}

static int64_t system_realtime(const struct clock *c)
{
	(void)c;
	return read_clock(CLOCK_REALTIME);
}

const struct clock *clock_system(void)
{
	static const struct clock system = {system_monotonic, system_realtime};

	return &system;
}

static int64_t anchored_monotonic(const struct clock *c)
{
	return clock_monotonic(((const struct clock_anchored *)c)->source);
}

static int64_t anchored_realtime(const struct clock *c)
{
	return anchored_monotonic(c) + ((const struct clock_anchored *)c)->offset;
}

void clock_anchor(struct clock_anchored *a, const struct clock *source)
{
	*a = (struct clock_anchored){
		.clock = {anchored_monotonic, anchored_realtime},
		.source = source,
		.offset = clock_offset(source),
	};
}

/*
 * Other threads may run between two readings: of several, that counts which took the shortest time.
 */
int64_t clock_offset(const struct clock *c)
{
	int64_t best = INT64_MAX, offset = 0;

	if (c->realtime == anchored_realtime)
		return ((const struct clock_anchored *)c)->offset;
	for (int i = 0; i < OFFSET_READINGS; i++) {
		int64_t before = clock_monotonic(c), wall = clock_realtime(c);
		int64_t took = clock_monotonic(c) - before;

		if (took < best) {
			best = took;
			offset = wall - before - took / 2;
		}
	}
	return offset;
}

void clock_boot_id(char out[CLOCK_BOOT_SIZE])
{
	int fd = file_open_given("/proc/sys/kernel/random/boot_id");
	ssize_t n = fd < 0 ? 0 : read(fd, out, CLOCK_BOOT_SIZE - 1);

	out[n == CLOCK_BOOT_SIZE - 1 ? n : 0] = '\0';
	if (fd >= 0)
		(void)close(fd);
}

static int64_t manual_monotonic(const struct clock *c)
{
	return ((const struct clock_manual *)c)->monotonic_ns;
}

static int64_t manual_realtime(const struct clock *c)
{
	return ((const struct clock_manual *)c)->realtime_ns;
}

void clock_manual_init(struct clock_manual *m, int64_t realtime_ns)
{
	*m = (struct clock_manual){
		.clock = {manual_monotonic, manual_realtime},
		.realtime_ns = realtime_ns,
	};
}

void clock_manual_advance(struct clock_manual *m, double seconds)
{
	int64_t ns = llround(seconds * (double)CLOCK_NS_PER_SECOND);

	assert(seconds >= 0);
	m->monotonic_ns += ns;
	m->realtime_ns += ns;
}

/* Quotient rounded towards minus infinity; times before 1970 are negative. */
static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

struct date {
	int year;
	int month;
	int day;
};

/*
 * The proleptic Gregorian date, counted from 1 March so that the leap day comes last: five
 * months there always have 153 days. Not gmtime, which is neither thread-safe nor total.
 */
static struct date date_of_day(int64_t day_of_1970)
{
	int64_t days = day_of_1970 + DAYS_TO_1970;
	int64_t era = floor_div(days, DAYS_PER_ERA);
	int64_t doe = days - era * DAYS_PER_ERA;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t month = (5 * doy + 2) / 153; /* 0 is March */

	return (struct date){
		.year = (int)(era * 400 + yoe + (month >= 10)),
		.month = (int)(month < 10 ? month + 3 : month - 9),
		.day = (int)(doy - (153 * month + 2) / 5 + 1),
	};
}

/* The last digits of a number, so many of them; printf takes ten times as long. */
static char *put_digits(char *out, int value, int count)
{
	for (int i = count - 1; i >= 0; i--, value /= 10)
		out[i] = (char)('0' + value % 10);
	return out + count;
}

static char *put_char(char *out, char c)
{
	*out = c;
	return out + 1;
}

void clock_format(int64_t realtime_ns, enum clock_round round, char out[CLOCK_TEXT_SIZE])
{
	int64_t ms = floor_div(realtime_ns, NS_PER_MS);
	int64_t seconds, day;
	struct date d;
	int s;

	if (round == CLOCK_ROUND_UP && realtime_ns % NS_PER_MS != 0)
		ms++;
	seconds = floor_div(ms, MS_PER_SECOND);
	day = floor_div(seconds, SECONDS_PER_DAY);
	s = (int)(seconds - day * SECONDS_PER_DAY);
	d = date_of_day(day);
	out = put_char(put_digits(out, d.year, 4), '-');
	out = put_char(put_digits(out, d.month, 2), '-');
	out = put_char(put_digits(out, d.day, 2), 'T');
	out = put_char(put_digits(out, s / 3600, 2), ':');
	out = put_char(put_digits(out, s / 60 % 60, 2), ':');
	out = put_char(put_digits(out, s % 60, 2), '.');
	out = put_char(put_digits(out, (int)(ms - seconds * MS_PER_SECOND), 3), 'Z');
	*out = '\0';
}
