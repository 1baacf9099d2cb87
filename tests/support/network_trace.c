/* Writes down who is asked for on the network, whatever language asks: loaded with LD_PRELOAD. One line a call, appended
   to the file that NETWORK_TRACE names; AF_UNIX and the machine's own addresses are left out. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void written(const char *format, ...) {
    const char *path = getenv("NETWORK_TRACE");
    char line[512];
    va_list values;
    if (!path) return;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (length >= (int)sizeof line) length = sizeof line - 1;
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (write(file, line, length) < 0) { /* nothing can be done about it */ }
    close(file);
}

static void to(const char *call, const struct sockaddr *address) {
    char text[INET6_ADDRSTRLEN] = "";
    if (!address) return;
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *found = (const void *)address;
        if ((ntohl(found->sin_addr.s_addr) >> 24) == 127) return;
        inet_ntop(AF_INET, &found->sin_addr, text, sizeof text);
        written("%s %s %d\n", call, text, ntohs(found->sin_port));
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *found = (const void *)address;
        if (IN6_IS_ADDR_LOOPBACK(&found->sin6_addr)) return;
        inet_ntop(AF_INET6, &found->sin6_addr, text, sizeof text);
        written("%s %s %d\n", call, text, ntohs(found->sin6_port));
    }
}

int socket(int family, int kind, int protocol) {
    if (family == AF_INET || family == AF_INET6) written("socket %s\n", family == AF_INET ? "AF_INET" : "AF_INET6");
    return NEXT(socket)(family, kind, protocol);
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
    to("connect", address);
    return NEXT(connect)(descriptor, address, length);
}

ssize_t sendto(int descriptor, const void *data, size_t size, int flags, const struct sockaddr *address, socklen_t length) {
    to("sendto", address);
    return NEXT(sendto)(descriptor, data, size, flags, address, length);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    if (message) to("sendmsg", message->msg_name);
    return NEXT(sendmsg)(descriptor, message, flags);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    written("getaddrinfo %s\n", node ? node : "-");
    return NEXT(getaddrinfo)(node, service, hints, found);
}

struct hostent *gethostbyname(const char *name) {
    written("gethostbyname %s\n", name);
    return NEXT(gethostbyname)(name);
}

struct hostent *gethostbyname2(const char *name, int family) {
    written("gethostbyname2 %s\n", name);
    return NEXT(gethostbyname2)(name, family);
}

int gethostbyname_r(const char *name, struct hostent *kept, char *buffer, size_t size, struct hostent **found, int *error) {
    written("gethostbyname_r %s\n", name);
    return NEXT(gethostbyname_r)(name, kept, buffer, size, found, error);
}

int res_query(const char *name, int class, int type, unsigned char *answer, int length) {
    written("res_query %s\n", name);
    return NEXT(res_query)(name, class, type, answer, length);
}

int res_search(const char *name, int class, int type, unsigned char *answer, int length) {
    written("res_search %s\n", name);
    return NEXT(res_search)(name, class, type, answer, length);
}
