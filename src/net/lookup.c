#include "net/lookup.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lookup_free(struct lookup *l)
{
	if (!l)
		return;
	dns_leave(&l->waiter);
	lookup_list_remove(l);
	free(l->records);
	free(l);
}

static void free_all(struct lookup_list *list)
{
	struct lookup *next;

	for (struct lookup *l = list->first; l; l = next) {
		next = l->next;
		lookup_free(l);
	}
}

void lookups_release(struct lookups *l)
{
	free_all(&l->open);
	free_all(&l->finished);
}

struct lookup *lookups_next(struct lookups *l)
{
	struct lookup *first = l->finished.first;

	if (first)
		lookup_list_remove(first);
	return first;
}

static void fill(struct lookup *l, const struct address *list, size_t count)
{
	char text[ADDRESS_TEXT_SIZE];

	for (size_t i = 0; i < count; i++)
		l->result.classes |= ADDRESS_SET(address_range(&list[i])->class);
	address_format(&list[0], text);
	(void)snprintf(l->result.ip, sizeof l->result.ip, "%s", text);
}

static void on_answer(struct dns_waiter *w, const struct dns_answer *answer)
{
	struct lookup *l = (void *)((char *)w - offsetof(struct lookup, waiter));

	l->result.failure = answer->failure;
	l->result.date = answer->date;
	if (answer->failure != NET_FAILURE_NONE)
		(void)snprintf(l->result.detail, sizeof l->result.detail, "%s", answer->detail);
	else
		fill(l, answer->list, answer->count);
	if (answer->records && (l->records = strdup(answer->records)))
		l->result.records = slice_str(l->records);
	lookup_list_append(&l->lookups->finished, l);
}

static struct lookup *new_lookup(struct lookups *lookups, uint64_t tag)
{
	struct lookup *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->result.tag = tag;
	l->result.records = SLICE("");
	l->lookups = lookups;
	l->waiter.answered = on_answer;
	lookup_list_append(&lookups->open, l);
	return l;
}

int lookup_start(struct lookups *lookups, struct dns *dns, slice host, uint64_t tag)
{
	struct lookup *l = new_lookup(lookups, tag);
	struct address literal;
	int rc;

	if (!l)
		return ERR_NOMEM;
	if (address_parse(host, &literal)) {
		fill(l, &literal, 1);
		lookup_list_append(&lookups->finished, l);
		return 0;
	}
	rc = dns_ask(dns, host, &l->waiter);
	if (rc)
		lookup_free(l);
	return rc;
}

int lookup_skip(struct lookups *lookups, uint64_t tag)
{
	struct lookup *l = new_lookup(lookups, tag);

	if (!l)
		return ERR_NOMEM;
	lookup_list_append(&lookups->finished, l);
	return 0;
}
