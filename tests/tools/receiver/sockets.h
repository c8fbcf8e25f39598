// The few system calls that the receiver and the load need; errors as std::system_error.
#pragma once

#include <cstdint>

namespace einlass::tools {

// The result, or std::system_error with errno and `what` if it is negative.
int require(int result, const char* what);

// A listening socket of 127.0.0.1, non-blocking. 0: any free port; `port` then says which.
int listen_on(std::uint16_t& port);

// A connection to 127.0.0.1, blocking, without delay for small writes.
int connect_to(std::uint16_t port);

void set_no_delay(int fd);

// Adds a descriptor to an epoll, or does the `operation` to it.
void watch(int epoll, int fd, std::uint32_t events);
void watch_instead(int epoll, int fd, std::uint32_t events);

// Microseconds since 1970.
std::int64_t now_us();

}  // namespace einlass::tools
