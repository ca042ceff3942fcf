#define _GNU_SOURCE
#include "csystem.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#ifdef __linux__
#include <link.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#endif

static void tell(const struct sockaddr_storage *from, uint8_t *client) {
  if (from->ss_family == AF_INET6) {
    memcpy(client, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
  } else if (from->ss_family == AF_INET) {
    memset(client, 0, 10);
    memset(client + 10, 0xFF, 2);
    memcpy(client + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
  }
}

static int argument_count;
static char **arguments;

// The C library hands these to whatever is run before main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

int cs_argument_count(void) { return argument_count; }

const char *cs_argument(int index) { return index >= 0 && index < argument_count ? arguments[index] : ""; }

int cs_processors(void) {
#ifdef __linux__
  cpu_set_t set;
  // It fails where the system has more processors than the set has room for.
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int)count : 0;
}

#ifdef __linux__
// The file has what is in these segments: none of their pages has been changed.
static int release_pages(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int index = 0; index < object->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
    uintptr_t start = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void cs_release_program_pages(void) { dl_iterate_phdr(release_pages, NULL); }
#else
void cs_release_program_pages(void) {}
#endif

#ifdef __linux__
int cs_accept(int listener, uint8_t *client) {
  struct sockaddr_storage from = {0};
  socklen_t length = sizeof from;
  int fd = accept4(listener, (struct sockaddr *)&from, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) tell(&from, client);
  return fd;
}

int cs_hold_off(int listener) {
  enum { flags = 13, syn = 2, all = UINT16_MAX };
  // What the program looks at begins with the TCP header (RFC 9293 section 3.1).
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, flags),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, syn, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, all),
  };
  struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
  return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

int cs_unacknowledged(int fd) {
  int count = 0;
  return ioctl(fd, SIOCOUTQ, &count) == 0 ? count : 0;
}

#ifndef DISPATCH_ONLY
int cs_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int cs_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data.u64 = data};
  return epoll_ctl(epoll, operation, fd, &event);
}

int cs_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
#endif
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

int cs_hold_off(int listener) {
  (void)listener;
  return -1;
}

int cs_unacknowledged(int fd) {
  int count = 0;
  socklen_t size = sizeof count;
  return getsockopt(fd, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 ? count : 0;
}
#endif

extern char **environ;

const char *cs_variable(int index) { return environ ? environ[index] : NULL; }

void cs_remove_variable(int index) {
  volatile char *text = environ[index];
  while (*text) *text++ = 0;
  for (; environ[index]; index++) environ[index] = environ[index + 1];
}

int cs_notify(const void *name, size_t length, const void *message, size_t size) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  if (length == 0 || length >= sizeof to.sun_path) return -1;
  memcpy(to.sun_path, name, length);
  // An abstract name is written with @ for its NUL.
  if (to.sun_path[0] == '@') to.sun_path[0] = 0;
  int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (fd < 0) return -1;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  socklen_t whole = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent = sendto(fd, message, size, MSG_DONTWAIT, (struct sockaddr *)&to, whole);
  close(fd);
  return sent == (ssize_t)size ? 0 : -1;
}

#ifdef __linux__
int cs_spawn(const char *path, char *const arguments[], char *const variables[], const int *fds, int count) {
  enum { first = 3 };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t signals;
  int copies[CS_MOST_HANDED];
  int made = 0, failure = 0;
  pid_t process = -1;
  if (count < 0 || count > CS_MOST_HANDED) return -EINVAL;
  // Above all descriptors that they are meant for, so that none is overwritten before it is copied there.
  for (; made < count; made++) {
    copies[made] = fcntl(fds[made], F_DUPFD_CLOEXEC, first + count);
    if (copies[made] < 0) {
      failure = errno;
      break;
    }
  }
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (int index = 0; index < made; index++)
    posix_spawn_file_actions_adddup2(&actions, copies[index], first + index);
  posix_spawn_file_actions_addclosefrom_np(&actions, first + count);
  // What is ignored here would be ignored there.
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!failure) failure = posix_spawn(&process, path, &actions, &attributes, arguments, variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  while (made > 0) close(copies[--made]);
  return failure ? -failure : process;
}

enum { seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

int cs_sealed_file(const void *bytes, size_t count) {
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
  int fd = memfd_create("environment", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  // Linux before 6.3 does not know the last one.
  if (fd < 0 && errno == EINVAL) fd = memfd_create("environment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -errno;
  size_t done = 0;
  while (done < count) {
    ssize_t more = write(fd, (const char *)bytes + done, count - done);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) break;
    done += (size_t)more;
  }
  // Mode 0: it is read by the descriptor alone, and not opened again by way of /proc.
  if (done < count || fchmod(fd, 0) != 0 || fcntl(fd, F_ADD_SEALS, seals) != 0) {
    int failure = errno;
    close(fd);
    return -failure;
  }
  return fd;
}

int cs_is_sealed(int fd) {
  int found = fcntl(fd, F_GET_SEALS);
  return found >= 0 && (found & seals) == seals;
}

static int was_sealed;

int cs_was_sealed(void) { return was_sealed; }

void cs_seal(void) {
  // 1 is "every process of the same user"; 2, or 0, is what the system sets for a binary that the user cannot read.
  int dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  was_sealed = dumpable == 0 || dumpable == 2;
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
#else
int cs_spawn(const char *path, char *const arguments[], char *const variables[], const int *fds, int count) {
  return -ENOSYS;
}

int cs_sealed_file(const void *bytes, size_t count) { return -ENOSYS; }

int cs_is_sealed(int fd) { return 0; }

int cs_was_sealed(void) { return 0; }

void cs_seal(void) {}
#endif
