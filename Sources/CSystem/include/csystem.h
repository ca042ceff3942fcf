// What Swift cannot import from the C library by itself: epoll, eventfd, accept4.
#pragma once
#include <stdint.h>

/// Accepts one connection as a non-blocking, close-on-exec socket; -1 and errno when there is none. `client` gets the 16 bytes of
/// who connected: an IPv6 address, or an IPv4 one mapped into it; left alone where there is no address.
int cs_accept(int listener, uint8_t *client);

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
