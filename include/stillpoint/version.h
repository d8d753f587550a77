/*
 * libstillpoint, 0.x: names and structs may still change between versions, so compile again when
 * you update. All functions may be called from any thread; a struct sp_plan belongs to one thread
 * at a time. Nothing blocks, prints, exits or keeps global state.
 */
#ifndef STILLPOINT_VERSION_H
#define STILLPOINT_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SP_API __attribute__((visibility("default")))
#else
#define SP_API
#endif

#define SP_VERSION_MAJOR 0
#define SP_VERSION_MINOR 1
#define SP_VERSION_PATCH 0
#define SP_VERSION       "0.1.0"

/* The version of the library that runs; SP_VERSION is the one that was compiled against. */
SP_API const char *sp_version(void);

#ifdef __cplusplus
}
#endif

#endif
