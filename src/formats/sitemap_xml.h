/*
 * XML sitemaps and feeds: libxml2's push parser (SAX2) calls back for every tag and text, and what
 * belongs to an entry is gathered. No tree, no DTD, no entities but the predefined ones, no
 * network. (The xmlTextReader on top of the same parser builds nodes and ends at the first error,
 * even when told to recover; so it is of no use for broken sitemaps.)
 *
 * Elements count by their local name, in any case, when they are in the root's namespace (whichever
 * that is, or none) or in one of those that are known; extensions (images, videos, news,
 * xhtml:link) are passed over with all they contain.
 */
#ifndef FORMATS_SITEMAP_XML_H
#define FORMATS_SITEMAP_XML_H

#include <libxml/parser.h>
#include <stdbool.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "formats/sitemap_record.h"
#include "formats/sitemap_repair.h"

enum { SITEMAP_XML_ERROR_MAX = 160 };

enum sitemap_field {
	SITEMAP_FIELD_NONE,
	SITEMAP_FIELD_LOC,
	SITEMAP_FIELD_LASTMOD,
	SITEMAP_FIELD_CHANGEFREQ,
	SITEMAP_FIELD_PRIORITY,
};

/* An element below the root that has an xml:base. */
struct sitemap_base {
	unsigned depth;
	size_t before; /* length of bases without it */
	bool lost;     /* it was too long: what is in it cannot be resolved */
};

/* Fields are the parser's own. */
struct sitemap_xml {
	xmlParserCtxtPtr parser;
	struct sitemap_queue *queue; /* borrowed */
	struct buf base;             /* the root's xml:base; to be read */
	struct buf namespace;        /* the root's */
	struct buf prefix;
	struct buf bases; /* xml:base of the open elements below the root, a line each */
	struct sitemap_base base_stack[SITEMAP_DEPTH_MAX];
	struct sitemap_entry record; /* loc is in the next one */
	struct buf loc;
	struct buf loc_base; /* bases where it was found */
	struct buf text;
	enum sitemap_format format; /* by the root element; to be read */
	unsigned depth;             /* elements open */
	unsigned base_count;
	int loc_rank, lastmod_rank; /* how good what we have is; 0 for nothing */
	enum sitemap_field field;   /* whose text is being read */
	int field_rank;
	unsigned field_depth; /* elements open inside it */
	unsigned skip;        /* elements open in what is passed over */
	int rc;
	bool root_seen;
	bool index; /* the root is a sitemapindex */
	bool in_record;
	bool overlong;
	char error[SITEMAP_XML_ERROR_MAX]; /* libxml2's first complaint, or ""; to be read */
};

/* 0 or ERR_NOMEM. Released in any case. */
int sitemap_xml_init(struct sitemap_xml *x, struct sitemap_queue *queue) SP_MUST_CHECK;
void sitemap_xml_release(struct sitemap_xml *x);

/* Queues the entries that end in the block: 0 or ERR_NOMEM. */
int sitemap_xml_feed(struct sitemap_xml *x, slice block) SP_MUST_CHECK;

/* The same for one that was begun and has its address already. */
int sitemap_xml_end(struct sitemap_xml *x) SP_MUST_CHECK;

#endif
