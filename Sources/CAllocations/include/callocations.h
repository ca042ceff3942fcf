// Counts the memory that a program asks for, thread by thread, by standing in front of the C library's allocator. What links
// this has every allocation of the process go through it. With glibc only, and not under a sanitizer, which stands there
// itself.
#pragma once
#include <stddef.h>
#include <stdint.h>

struct ca_count {
  /// Calls that gave memory.
  uint64_t allocations;
  /// What they asked for.
  uint64_t bytes;
};

/// Whether anything is counted at all.
int ca_is_counting(void);

/// What the calling thread has asked for, but for what OpenSSL did.
struct ca_count ca_program(void);
/// What OpenSSL has asked for in the calling thread, if it allocates with the three functions below.
struct ca_count ca_openssl(void);

// For CRYPTO_set_mem_functions, before OpenSSL is used.
void *ca_openssl_malloc(size_t size, const char *file, int line);
void *ca_openssl_realloc(void *memory, size_t size, const char *file, int line);
void ca_openssl_free(void *memory, const char *file, int line);

/// Begins to note where the calling thread's allocations are made, the first 64 of them; not OpenSSL's.
void ca_trace_begin(void);
/// - Returns: how many have been noted.
int ca_trace_end(void);

struct ca_call_site {
  /// The executable or library; NULL for what is in none.
  const char *file;
  /// Bytes from where the file is loaded to the call.
  uintptr_t offset;
};
/// The call site of a noted allocation, or of one of its callers.
/// - Returns: 0 when there is none so far up.
int ca_trace_call_site(int allocation, int depth, struct ca_call_site *site);
