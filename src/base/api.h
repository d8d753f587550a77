/* Attributes of functions, where the compiler knows them. */
#ifndef BASE_API_H
#define BASE_API_H

#if defined(__GNUC__)
#define SP_PRINTF(fmt, a) __attribute__((format(printf, fmt, a)))
#define SP_MUST_CHECK     __attribute__((warn_unused_result))
#define SP_UNUSED         __attribute__((unused))
#else
#define SP_PRINTF(fmt, a)
#define SP_MUST_CHECK
#define SP_UNUSED
#endif

#endif
