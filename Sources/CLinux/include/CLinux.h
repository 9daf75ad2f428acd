#pragma once

/* What Swift cannot import from the kernel's headers: function-like macros and names that collide.
   Everything here is a thin wrapper; decisions are made in Swift. */

#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <sys/eventfd.h>
#include <stdint.h>
#include <sys/types.h>

/* <linux/if.h> has this one but collides with <net/if.h>: the driver signals a carrier. */
enum { CLINUX_IFF_LOWER_UP = 1 << 16 };

/* RFC 2863 operational states, from <linux/if.h> as well. */
enum { CLINUX_OPER_UNKNOWN = 0, CLINUX_OPER_UP = 6 };

/* Walks the messages of one datagram. `length` is what is left from `message` on. */
static inline int clinux_message_is_whole(const struct nlmsghdr *message, uint32_t length) {
    return NLMSG_OK(message, length);
}

/* How far the next message lies behind this one. */
static inline uint32_t clinux_message_stride(const struct nlmsghdr *message) {
    return NLMSG_ALIGN(message->nlmsg_len);
}

/* Bytes of the netlink header with its padding. */
static inline uint32_t clinux_message_header_size(void) {
    return NLMSG_HDRLEN;
}

/* `size` with the padding that netlink puts behind it. */
static inline uint32_t clinux_aligned(uint32_t size) {
    return NLMSG_ALIGN(size);
}

/* Walks the attributes behind a message's fixed part. `length` is what is left from `attribute` on. */
static inline int clinux_attribute_is_whole(const struct rtattr *attribute, uint32_t length) {
    return RTA_OK(attribute, (int)length);
}

static inline uint32_t clinux_attribute_stride(const struct rtattr *attribute) {
    return RTA_ALIGN(attribute->rta_len);
}

static inline uint32_t clinux_attribute_header_size(void) {
    return RTA_LENGTH(0);
}

/* Opens a route-netlink socket bound to the multicast `groups` (0 for none); -1 with errno on failure. */
int clinux_open_route_socket(uint32_t groups, int receive_buffer_bytes);

/* Sends a dump request for `type` (RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE); -1 with errno on failure. */
int clinux_request_dump(int socket, uint16_t type, uint32_t sequence);

/* Receives one datagram without waiting. `truncated` tells that `capacity` was too small for it and
   `from_kernel` whether the kernel sent it. Returns the bytes received, or -1 with errno. */
ssize_t clinux_receive(int socket, void *buffer, size_t capacity, int flags, int *truncated, int *from_kernel);
