#pragma once
/* Before event-config.h defines _GNU_SOURCE: otherwise this module's fd_set differs from the one in Glibc's module. */
#include <features.h>
#include <event2/event.h>
#include <event2/util.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* accept4 is hidden without _GNU_SOURCE. The flags are SOCK_NONBLOCK | SOCK_CLOEXEC. */
static inline int seleid_accept(int fd, struct sockaddr *address, socklen_t *length) {
    extern int accept4(int, struct sockaddr *, socklen_t *, int);
    return accept4(fd, address, length, 02004000);
}
