#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int clinux_open_route_socket(uint32_t groups, int receive_buffer_bytes) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    if (receive_buffer_bytes > 0) {
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    }
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

int clinux_request_dump(int descriptor, uint16_t type, uint32_t sequence) {
    struct {
        struct nlmsghdr header;
        /* The three dump requests differ in their fixed part; all begin with the family, and the longest
           one with zeros behind it is right for each. */
        struct ifinfomsg body;
    } request;
    memset(&request, 0, sizeof request);
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = type;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.header.nlmsg_seq = sequence;
    request.body.ifi_family = AF_UNSPEC;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    ssize_t sent;
    do {
        sent = sendto(
            descriptor, &request, sizeof request, 0, (struct sockaddr *)&kernel, sizeof kernel);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

ssize_t clinux_receive(
    int descriptor, void *buffer, size_t capacity, int flags, int *truncated, int *from_kernel) {
    struct sockaddr_nl sender = {0};
    struct iovec part = {.iov_base = buffer, .iov_len = capacity};
    struct msghdr message = {
        .msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1};
    ssize_t received;
    do {
        received = recvmsg(descriptor, &message, flags);
    } while (received < 0 && errno == EINTR);
    *truncated = (message.msg_flags & MSG_TRUNC) != 0;
    *from_kernel = sender.nl_pid == 0;
    return received;
}

int clinux_enter_network_namespace(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -1;
    int result = setns(descriptor, CLONE_NEWNET);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return result;
}

int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int clinux_spawn_in(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

static int argument_count;
static char **argument_memory;

/* glibc hands main's arguments to every constructor. */
__attribute__((constructor)) static void clinux_note_arguments(int count, char **arguments) {
    argument_count = count;
    argument_memory = arguments;
}

char **clinux_arguments(int *count) {
    *count = argument_memory ? argument_count : 0;
    return argument_memory;
}
