// The system's own answers to the calls that Kernel answers while there is one.
#pragma once

struct epoll_event;

namespace einlass::whole::real {

int epoll_wait(int epoll, epoll_event* events, int room, int timeout);

}  // namespace einlass::whole::real
