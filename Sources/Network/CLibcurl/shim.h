#pragma once

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

/* libcurl sets and reads options through variadic functions and macros, which Swift cannot call.
   One wrapper per kind of argument, nothing more. */

typedef size_t (*ccurl_data_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_connected_function)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_large(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_data_function(CURL *easy, CURLoption option, ccurl_data_function value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_connected_function(CURL *easy, ccurl_connected_function value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

/* 0: every address; 1: none of the link alone (169.254.0.0/16, fe80::/10); 2: this machine's alone. */
static inline int ccurl_is_allowed(const struct sockaddr *address, int allowed) {
    uint32_t ipv4 = 0;
    if (allowed == 0) return 1;
    if (address->sa_family == AF_INET6) {
        const struct in6_addr *ipv6 = &((const struct sockaddr_in6 *)address)->sin6_addr;
        if (!IN6_IS_ADDR_V4MAPPED(ipv6)) {
            return allowed == 2 ? IN6_IS_ADDR_LOOPBACK(ipv6) : !IN6_IS_ADDR_LINKLOCAL(ipv6);
        }
        memcpy(&ipv4, &ipv6->s6_addr[12], sizeof ipv4);
    } else if (address->sa_family == AF_INET) {
        ipv4 = ((const struct sockaddr_in *)address)->sin_addr.s_addr;
    } else {
        return 0;
    }
    ipv4 = ntohl(ipv4);
    return allowed == 2 ? ipv4 >> 24 == 127 : ipv4 >> 16 != 0xA9FE;
}

/* A connection must not outlive its owner in a child process that happened to be started beside it.
   The context has the largest segment in bytes, 0 for the system's choice, and above it the addresses that are
   allowed. The segment is set before connecting, so that the SYN names it and the peer sends none that are
   larger. The address is looked at here, where it is the one that is connected to: a name can have another one
   each time that it is looked up. */
static curl_socket_t ccurl_open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    int segment = (int)((intptr_t)context & 0xFFFF);
    if (!ccurl_is_allowed(&address->addr, (int)((intptr_t)context >> 16))) return CURL_SOCKET_BAD;
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (descriptor >= 0 && segment > 0 && (address->family == AF_INET || address->family == AF_INET6)) {
        (void)setsockopt(descriptor, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof segment);
    }
    return descriptor;
}

static inline CURLcode ccurl_open_sockets(CURL *easy, int segment, int allowed) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, ccurl_open_socket);
    if (result != CURLE_OK) return result;
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, (void *)((intptr_t)allowed << 16 | segment));
}

/* The beginning of the kernel's struct tcp_info (linux/tcp.h); the C library's own copy ends before the counts
   of bytes. */
struct ccurl_tcp_info {
    uint8_t state[8];
    uint32_t before[11];
    uint32_t last_data_received_ms;
    uint32_t last_acknowledgement_ms;
    uint32_t between[11];
    uint64_t rates[2];
    uint64_t bytes_acknowledged;
    uint64_t bytes_received;
};

/* What a TCP connection has moved since it was opened: bytes that the peer acknowledged or sent. */
struct ccurl_movement {
    int64_t bytes;
    /* How long ago the last of them moved. */
    int64_t milliseconds_ago;
};

/* Bytes are -1 for a socket that is no TCP connection. */
static inline struct ccurl_movement ccurl_movement_of(curl_socket_t socket) {
    struct ccurl_movement none = {-1, 0};
    struct ccurl_tcp_info info;
    socklen_t length = sizeof info;
    memset(&info, 0, sizeof info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return none;
    struct ccurl_movement moved = {
        (int64_t)(info.bytes_acknowledged + info.bytes_received),
        info.last_data_received_ms < info.last_acknowledgement_ms ? info.last_data_received_ms
                                                                  : info.last_acknowledgement_ms};
    return moved;
}

static inline CURLcode ccurl_get_large(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

/* The end of the peer's own certificate as libcurl writes it, "Expire date:..."; NULL without one. Valid
   until the handle is released. */
static inline const char *ccurl_certificate_end(CURL *easy) {
    struct curl_certinfo *certificates = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &certificates) != CURLE_OK || !certificates
        || certificates->num_of_certs < 1) {
        return NULL;
    }
    for (struct curl_slist *line = certificates->certinfo[0]; line; line = line->next) {
        if (curl_strnequal(line->data, "Expire date:", 12)) return line->data + 12;
    }
    return NULL;
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

typedef int (*ccurl_socket_function)(
    CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context);
typedef int (*ccurl_timer_function)(CURLM *multi, long milliseconds, void *context);

static inline void ccurl_multi_set_functions(
    CURLM *multi, ccurl_socket_function socket, ccurl_timer_function timer, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->data.result;
}
