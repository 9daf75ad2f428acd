#pragma once

/* What Swift cannot import from the kernel's headers: function-like macros and names that collide.
   Everything here is a thin wrapper; decisions are made in Swift. */

#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/types.h>

/* <linux/if.h> has this one but collides with <net/if.h>: the driver signals a carrier. */
enum { CLINUX_IFF_LOWER_UP = 1 << 16 };

/* RFC 2863 operational states, from <linux/if.h> as well. */
enum { CLINUX_OPER_UNKNOWN = 0, CLINUX_OPER_UP = 6 };

/* <string.h> declares it for GNU programs alone. The first place of `needle` in `text`; NULL without one. */
void *memmem(const void *text, size_t text_bytes, const void *needle, size_t needle_bytes);

/* Opens a route-netlink socket bound to the multicast `groups` (0 for none); -1 with errno on failure. */
int clinux_open_route_socket(uint32_t groups, int receive_buffer_bytes);

/* Sends a dump request for `type` (RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE); -1 with errno on failure. */
int clinux_request_dump(int socket, uint16_t type, uint32_t sequence);

/* Receives one datagram without waiting. `truncated` is set when `capacity` was too small, and
   `from_kernel` when the kernel sent it. Returns the bytes received, or -1 with errno. */
ssize_t clinux_receive(
    int socket, void *buffer, size_t capacity, int flags, int *truncated, int *from_kernel);

/* Moves the calling thread into the network namespace at `path`; -1 with errno on failure. */
int clinux_enter_network_namespace(const char *path);

/* A pipe whose ends no child inherits; -1 with errno on failure. */
int clinux_pipe(int ends[2]);

/* Has the child start in `folder`; an error number on failure. */
int clinux_spawn_in(posix_spawn_file_actions_t *actions, const char *folder);

/* The program's own argument memory, `*count` pointers into what /proc/PID/cmdline shows; NULL when the C
   library gave none. Swift's own list of arguments is a copy. */
char **clinux_arguments(int *count);
