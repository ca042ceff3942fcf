#define _GNU_SOURCE
#include "callocations.h"
#include <errno.h>
#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__GLIBC__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) &&                     \
    !__has_feature(memory_sanitizer)
#define COUNTING 1
#else
#define COUNTING 0
#endif

static __thread struct ca_count program, openssl;

int ca_is_counting(void) { return COUNTING; }
struct ca_count ca_program(void) { return program; }
struct ca_count ca_openssl(void) { return openssl; }

#if COUNTING
#include <dlfcn.h>
#include <execinfo.h>

// Where glibc keeps its allocator for those who stand in front of it. `free` needs no stand-in: the memory is glibc's own.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

enum { TRACES = 64, DEPTH = 24 };
static __thread struct {
  int is_on, count;
  int depths[TRACES];
  void *frames[TRACES][DEPTH];
} trace;

// `backtrace` may allocate, which is not to be noted.
static void note(void) {
  if (trace.count == TRACES) return;
  trace.is_on = 0;
  trace.depths[trace.count] = backtrace(trace.frames[trace.count], DEPTH);
  trace.count += 1;
  trace.is_on = 1;
}

static inline void *count(struct ca_count *counts, void *memory, size_t size) {
  if (memory == NULL) return NULL;
  counts->allocations += 1;
  counts->bytes += size;
  if (__builtin_expect(trace.is_on, 0) && counts == &program) note();
  return memory;
}

void *malloc(size_t size) { return count(&program, __libc_malloc(size), size); }

// A product that overflows gives no memory, so that it is not counted.
void *calloc(size_t number, size_t size) { return count(&program, __libc_calloc(number, size), number * size); }

void *realloc(void *memory, size_t size) { return count(&program, __libc_realloc(memory, size), size); }

void *memalign(size_t alignment, size_t size) { return count(&program, __libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *given = memalign(alignment, size);
  if (given == NULL) return ENOMEM;
  *memory = given;
  return 0;
}

void *ca_openssl_malloc(size_t size, const char *file, int line) {
  return size == 0 ? NULL : count(&openssl, __libc_malloc(size), size);
}

void *ca_openssl_realloc(void *memory, size_t size, const char *file, int line) {
  return count(&openssl, __libc_realloc(memory, size), size);
}

void ca_trace_begin(void) {
  // The first call loads the unwinder.
  void *frame;
  backtrace(&frame, 1);
  trace.count = 0;
  trace.is_on = 1;
}

int ca_trace_end(void) {
  trace.is_on = 0;
  return trace.count;
}

int ca_trace_call_site(int allocation, int depth, struct ca_call_site *site) {
  if (allocation < 0 || allocation >= trace.count || depth < 0 || depth >= trace.depths[allocation]) return 0;
  // A frame is where the call returns to, which may be another line already.
  char *address = (char *)trace.frames[allocation][depth] - 1;
  Dl_info info;
  if (dladdr(address, &info) == 0) info.dli_fname = NULL, info.dli_fbase = NULL;
  site->file = info.dli_fname;
  site->offset = (uintptr_t)(address - (char *)info.dli_fbase);
  return 1;
}
#else
void *ca_openssl_malloc(size_t size, const char *file, int line) { return malloc(size); }
void *ca_openssl_realloc(void *memory, size_t size, const char *file, int line) { return realloc(memory, size); }
void ca_trace_begin(void) {}
int ca_trace_end(void) { return 0; }
int ca_trace_call_site(int allocation, int depth, struct ca_call_site *site) { return 0; }
#endif

void ca_openssl_free(void *memory, const char *file, int line) { free(memory); }
