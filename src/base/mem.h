/*
 * Memory that is there or the program ends. A program without memory stops with one line: a
 * capture can be resumed after any stop, so nothing is gained by carrying that failure through
 * every caller. The library must not end its host: it uses neither mem_new and its siblings nor
 * the pushes that cannot fail (base/vec.h), and never calls mem_end_when_out.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

#include "base/api.h"
#include "base/slice.h"

/* Called once by main: from now on whatever grows in base ends the program instead of failing. */
void mem_end_when_out(void);

/* There is no memory: ends the program, or returns if mem_end_when_out was not called. */
void mem_out(void);

/* The same for what only the program calls: it never returns, whether or not main has begun. */
_Noreturn void mem_end(void);

/*
 * What the program may take for arrays that grow with its data, and where they go on beyond it. Set
 * once, before there are threads; the directory is borrowed. Without: 1 GiB, and NULL.
 */
void mem_set_budget(size_t bytes, const char *dir);
size_t mem_budget(void);
const char *mem_budget_dir(void);

/* Zeroed memory for count objects of size bytes; free with free. Never NULL. */
void *mem_new(size_t count, size_t size) SP_NONNULL_RESULT;

/*
 * Memory for count objects in place of ptr, which may be NULL, as realloc has it. Never NULL. With
 * NULL it is memory that is not cleared, for what is large and overwritten anyway.
 */
void *mem_resize(void *ptr, size_t count, size_t size) SP_NONNULL_RESULT;

/* A copy of the bytes with a NUL behind them; free with free. Never NULL. */
char *mem_strdup(slice s) SP_NONNULL_RESULT;

#endif
