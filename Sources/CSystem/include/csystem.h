// What Swift cannot import from the C library by itself: epoll, eventfd, accept4.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Accepts one connection as a non-blocking, close-on-exec socket; -1 and errno when there is none. `client` gets the 16 bytes of
/// who connected: an IPv6 address, or an IPv4 one mapped into it; left alone where there is no address.
int cs_accept(int listener, uint8_t *client);

/// What the process was started with, the program's own name at index 0. Swift reads it from /proc, which may not be there.
int cs_argument_count(void);
const char *cs_argument(int index);

/// Processors that the process may run on; 0 where the system does not say.
int cs_processors(void);

/// Sends one datagram to a Unix socket's path, or to its abstract name that is written with `@`; 0 when it was taken.
int cs_notify(const void *name, size_t length, const void *message, size_t size);

/// The most descriptors that `cs_spawn` hands over.
#define CS_MOST_HANDED 600

/// Starts a program that has standard input, output and error, and from 3 on the given descriptors, and no others; its signals
/// are at their defaults. Returns its process, or minus the error.
int cs_spawn(const char *path, char *const arguments[], char *const variables[], const int *fds, int count);

/// The process's environment variable at an index, `NAME=value`; NULL behind the last one.
const char *cs_variable(int index);

/// Overwrites the environment variable at an index where it stands, which is what /proc shows, and takes it out; the next one has its
/// index then. While no other thread reads the environment.
void cs_remove_variable(int index);

/// Makes a file without a name that has these bytes, and that nobody can change or make longer or shorter any more (file seals,
/// fcntl(2)). A close-on-exec descriptor, or minus the error.
int cs_sealed_file(const void *bytes, size_t count);

/// 1 when a descriptor is of such a file.
int cs_is_sealed(int fd);

/// Lets the process gain no privileges by what it starts (no_new_privs), and nobody of the same user look into it.
void cs_seal(void);

/// 1 when nobody of the same user could look into the process even before `cs_seal`, since the system has sealed it at exec.
int cs_was_sealed(void);

/// Lets the pages of the program and of its libraries go that nothing writes to; what is used again is mapped again. Linux alone.
void cs_release_program_pages(void);

/// Has the system ignore whoever wants to connect to a listening socket from now on, for good; they try again a second later.
/// Of TCP alone. 0 when it does.
int cs_hold_off(int listener);

/// Bytes that were sent and that the peer's system has not taken; 0 when that cannot be told.
int cs_unacknowledged(int fd);

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// A close-on-exec epoll instance.
int cs_epoll_create(void);
/// EPOLL_CTL_ADD, _MOD or _DEL of `fd` with `events` and `data`.
int cs_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t data);
/// A non-blocking, close-on-exec event counter.
int cs_eventfd(void);
#endif
