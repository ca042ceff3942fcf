#define _GNU_SOURCE
#include "csystem.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void tell(const struct sockaddr_storage *from, uint8_t *client) {
  if (from->ss_family == AF_INET6) {
    memcpy(client, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
  } else if (from->ss_family == AF_INET) {
    memset(client, 0, 10);
    memset(client + 10, 0xFF, 2);
    memcpy(client + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
  }
}

#ifdef __linux__
int cs_accept(int listener, uint8_t *client) {
  struct sockaddr_storage from = {0};
  socklen_t length = sizeof from;
  int fd = accept4(listener, (struct sockaddr *)&from, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) tell(&from, client);
  return fd;
}

int cs_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int cs_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data.u64 = data};
  return epoll_ctl(epoll, operation, fd, &event);
}

int cs_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
#else
int cs_accept(int listener, uint8_t *client) {
  struct sockaddr_storage from = {0};
  socklen_t length = sizeof from;
  int fd = accept(listener, (struct sockaddr *)&from, &length);
  if (fd >= 0) {
    tell(&from, client);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  return fd;
}
#endif
