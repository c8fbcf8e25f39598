// Answers that go on, as those of the live page do.
#include "adapters/http/server/open_body.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "adapters/http/server_world.h"

namespace einlass::http::testing {
namespace {

// Answers everything with one body that goes on.
struct OpenBodies : ::testing::Test {
  const std::shared_ptr<OpenBody> body = std::make_shared<OpenBody>();
  ServerWorld world{{.request_timeout = Duration::millis(50)}, [this](const ServerRequest&) {
                      ServerResponse response;
                      response.content_type = "text/event-stream";
                      response.open_body = body;
                      return response;
                    }};
};

TEST_F(OpenBodies, go_on_for_longer_than_a_request_may_take) {
  Client client(world.port());
  client.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.read_some(),
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  int sent = 0;
  for (; std::chrono::steady_clock::now() < end; ++sent) {
    ASSERT_TRUE(world.write(*body, "data: x\n\n"));
    ASSERT_EQ(client.read_some(), "data: x\n\n");
  }
  EXPECT_GT(sent, 1);
}

TEST_F(OpenBodies, end_when_there_is_no_more) {
  Client client(world.port());
  client.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.read_some();
  EXPECT_TRUE(world.write(*body, "the last"));
  world.end(*body);
  EXPECT_EQ(client.read_all(), "the last");
  EXPECT_FALSE(world.write(*body, "more"));
  world.end(*body);
}

TEST_F(OpenBodies, end_when_their_client_leaves) {
  {
    Client client(world.port());
    client.write("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /another HTTP/1.1\r\n");
    client.read_some();
    EXPECT_TRUE(world.write(*body, "x"));
  }
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (world.write(*body, "x") && std::chrono::steady_clock::now() < give_up) {
  }
  EXPECT_FALSE(world.write(*body, "x"));
}

TEST_F(OpenBodies, are_not_kept_for_who_does_not_read_them) {
  Client deaf(world.port());
  deaf.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  deaf.read_some();
  const std::string much(64 * 1024, 'x');
  std::size_t taken = 0;
  while (taken < 1000 && world.write(*body, much)) ++taken;
  EXPECT_LT(taken, 1000u) << "64 MB that nobody reads";
  EXPECT_FALSE(world.write(*body, "x"));
}

void give_little_room(int fd, int option) {
  const int room = 16 * 1024;
  EXPECT_EQ(setsockopt(fd, SOL_SOCKET, option, &room, sizeof(room)), 0);
}

// From now on the system keeps little of what a session of this server sends: a connection has the
// room of the socket that listens.
void keep_little_of_what_is_sent(std::uint16_t port) {
  int found = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    int listens = 0;
    socklen_t size = sizeof(listens);
    sockaddr_in address{};
    socklen_t length = sizeof(address);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0 ||
        getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0 ||
        address.sin_port != htons(port)) {
      continue;
    }
    give_little_room(fd, SO_SNDBUF);
    ++found;
  }
  EXPECT_EQ(found, 1);
}

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// One that is always some hundred KiB behind, and reads as fast as more is written.
TEST_F(OpenBodies, take_no_room_for_what_was_read) {
  keep_little_of_what_is_sent(world.port());
  Client client(world.port());
  give_little_room(client.fd(), SO_RCVBUF);
  client.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.read_some();
  const std::string piece(64 * 1024, 'x');
  ASSERT_TRUE(world.write(*body, std::string(14 * piece.size(), 'x')));
  const std::size_t before = resident_bytes();
  std::vector<char> read(piece.size());
  for (int i = 0; i < 512; ++i) {
    ASSERT_EQ(recv(client.fd(), read.data(), read.size(), MSG_WAITALL),
              static_cast<ssize_t>(read.size()));
    ASSERT_TRUE(world.write(*body, piece)) << i;
  }
  EXPECT_LT(resident_bytes(), before + 16 * 1024 * 1024) << "32 MiB were written, and read";
}

TEST_F(OpenBodies, may_have_pieces_that_are_larger_than_what_may_wait_behind_them) {
  Client client(world.port());
  client.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.read_some();
  EXPECT_TRUE(world.write(*body, std::string(3 * 1024 * 1024, 'x')));
}

TEST_F(OpenBodies, have_only_a_head_where_it_is_all_that_was_asked_for) {
  EXPECT_EQ(talk(world.port(), "HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(world.write(*body, "x"));
}

}  // namespace
}  // namespace einlass::http::testing
