#include "formats/refresh.h"

#include "base/parse.h"
#include "base/word.h"

static slice skip_space(slice s)
{
	while (s.len && word_is_space(s.ptr[0]))
		s = slice_sub(s, 1, s.len);
	return s;
}

/* Takes the time off; false when there is none. */
static bool read_time(slice *s, uint64_t *ret_seconds)
{
	uint64_t seconds = 0;
	size_t n = 0;

	while (n < s->len && word_is_digit(s->ptr[n]))
		n++;
	if (n == 0 && (s->len == 0 || s->ptr[0] != '.'))
		return false;
	if (n && parse_u64(slice_sub(*s, 0, n), &seconds))
		seconds = UINT64_MAX;
	while (n < s->len && (word_is_digit(s->ptr[n]) || s->ptr[n] == '.'))
		n++;
	*s = slice_sub(*s, n, s->len);
	*ret_seconds = seconds;
	return true;
}

/* Steps 11.4 to .11: what stands behind the separator, with or without "url=" and quotes. */
static slice read_url(slice s)
{
	slice rest = s;
	char quote;

	if (s.len && word_lower(s.ptr[0]) == 'u') {
		if (!word_starts(s, SLICE("url")))
			return s;
		rest = skip_space(slice_sub(s, 3, s.len));
		if (rest.len == 0 || rest.ptr[0] != '=')
			return s;
		rest = skip_space(slice_sub(rest, 1, rest.len));
	}
	if (rest.len == 0 || (rest.ptr[0] != '"' && rest.ptr[0] != '\''))
		return rest;
	quote = rest.ptr[0];
	rest = slice_sub(rest, 1, rest.len);
	return slice_take(&rest, quote);
}

bool refresh_parse(slice value, uint64_t *ret_seconds, slice *ret_url)
{
	slice s = skip_space(value);
	uint64_t seconds;

	if (!read_time(&s, &seconds))
		return false;
	if (s.len) {
		if (s.ptr[0] != ';' && s.ptr[0] != ',' && !word_is_space(s.ptr[0]))
			return false;
		s = skip_space(s);
		if (s.len && (s.ptr[0] == ';' || s.ptr[0] == ','))
			s = skip_space(slice_sub(s, 1, s.len));
	}
	*ret_seconds = seconds;
	*ret_url = read_url(s);
	return true;
}
