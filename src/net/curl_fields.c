#include "net/curl_fields.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool has_token(const char *list, const char *token)
{
	size_t len = strlen(token);

	while (*list) {
		size_t word = strcspn(list, " \t,;");

		if (word == len && strncasecmp(list, token, len) == 0)
			return true;
		list += word + (list[word] != '\0');
	}
	return false;
}

const char *curl_field(CURL *easy, const char *name, size_t i)
{
	struct curl_header *h;

	return curl_easy_header(easy, name, i, CURLH_HEADER, -1, &h) == CURLHE_OK ? h->value : NULL;
}

bool curl_fields_are_chunked(CURL *easy)
{
	const char *value;

	for (size_t i = 0; (value = curl_field(easy, "Transfer-Encoding", i)); i++) {
		if (has_token(value, "chunked"))
			return true;
	}
	return false;
}

bool curl_fields_have_two_lengths(CURL *easy)
{
	char first[32] = "";
	const char *value;

	for (size_t i = 0; (value = curl_field(easy, "Content-Length", i)); i++) {
		if (i == 0)
			(void)snprintf(first, sizeof first, "%s", value);
		else if (strcmp(first, value) != 0)
			return true;
	}
	return false;
}
