/* Attributes of functions, where the compiler knows them. */
#ifndef BASE_API_H
#define BASE_API_H

#if defined(__GNUC__)
#define SP_PRINTF(fmt, a) __attribute__((format(printf, fmt, a)))
#define SP_MUST_CHECK     __attribute__((warn_unused_result))
#define SP_UNUSED         __attribute__((unused))
#define SP_NONNULL_RESULT __attribute__((returns_nonnull, warn_unused_result))
#else
#define SP_PRINTF(fmt, a)
#define SP_MUST_CHECK
#define SP_UNUSED
#define SP_NONNULL_RESULT
#endif

/*
 * A variable that is released when its block ends, however it does: SCOPED(u32_vec_release)
 * struct u32_vec pages = {0};
 */
#define SCOPED(release) __attribute__((cleanup(release)))

#endif
