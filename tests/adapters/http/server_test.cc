// The server against clients of every kind, on real sockets.
#include "adapters/http/server/server.h"

#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>

#include "adapters/http/scripted_server.h"
#include "adapters/http/server_world.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {
namespace {

TEST(Server, answers_requests_in_order_and_closes_when_asked_to) {
  ServerWorld world;
  const std::string said = talk(world.port(),
                                "GET /a?x HTTP/1.1\r\nHost: h\r\n\r\n"
                                "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
                                "GET /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
                                "GET /never HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(said,
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nGET /a x "
            "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nPOST /b  abc"
            "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nGET /c  ");
}

// The handler keeps the way to answer, and a timer answers later.
TEST(Server, an_answer_may_take_a_while_and_those_behind_it_wait) {
  boost::asio::io_context io{1};
  boost::asio::steady_timer timer(io);
  Server::Respond first;
  const auto handler = [&](const ServerRequest& request, const Server::Respond& respond) {
    ServerResponse response;
    response.body = request.path;
    if (request.path != "/later") return respond(response);
    first = respond;
    timer.expires_after(std::chrono::milliseconds(300));  // Longer than a request may take.
    timer.async_wait([&, response](const boost::system::error_code&) {
      first(response);
      ServerResponse twice;
      twice.body = "twice";
      first(twice);
    });
  };
  Server server(io, {.request_timeout = Duration::millis(100)}, Server::LaterHandler(handler));
  std::thread thread([&] { io.run(); });
  {
    Client client(server.port());
    client.write(
        "GET /later HTTP/1.1\r\nHost: h\r\n\r\nGET /after HTTP/1.1\r\nHost: h\r\n"
        "Connection: close\r\n\r\n");
    const std::string all = client.read_all();
    EXPECT_LT(all.find("/later"), all.find("/after"));
    EXPECT_NE(all.find("/after"), std::string::npos);
    EXPECT_EQ(all.find("twice"), std::string::npos);
  }
  io.stop();
  thread.join();
}

// Whoever asked has hung up, or the server is gone, by the time the answer is there.
TEST(Server, an_answer_that_nobody_waits_for_is_dropped) {
  boost::asio::io_context io{1};
  Server::Respond respond;
  auto server = std::make_unique<Server>(
      io, ServerOptions{},
      Server::LaterHandler(
          [&](const ServerRequest&, const Server::Respond& way) { respond = way; }));
  {
    Client client(server->port());
    client.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    while (!respond) io.run_one();
  }
  respond(ServerResponse{});
  io.poll();
  Client another(server->port());
  another.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  respond = nullptr;
  while (!respond) io.run_one();
  server.reset();
  respond(ServerResponse{});
  io.poll();
}

TEST(Server, http_1_0_is_spoken) {
  ServerWorld world;
  EXPECT_EQ(talk(world.port(), "GET /a HTTP/1.0\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nGET /a  ");
  EXPECT_EQ(talk(world.port(),
                 "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /b HTTP/1.0\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: keep-alive\r\n\r\nGET /a  "
            "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nGET /b  ");
}

TEST(Server, head_gets_the_length_and_not_the_body) {
  ServerWorld world;
  EXPECT_EQ(talk(world.port(), "HEAD /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\n");
}

TEST(Server, statuses_headers_and_types_go_out_as_given) {
  ServerWorld world({}, [](const ServerRequest& request) {
    ServerResponse response;
    response.status = static_cast<unsigned>(std::stoul(std::string(request.path.substr(1))));
    response.headers = {{"Retry-After", "7"}};
    response.body = "x";
    return response;
  });
  const std::string end = "Connection: close\r\n\r\n";
  EXPECT_EQ(talk(world.port(), "GET /503 HTTP/1.1\r\nHost: h\r\n" + end),
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Content-Length: 1\r\nRetry-After: 7\r\n" +
                end + "x");
  EXPECT_EQ(talk(world.port(), "GET /204 HTTP/1.1\r\nHost: h\r\n" + end),
            "HTTP/1.1 204 No Content\r\nRetry-After: 7\r\n" + end);
  // The path is no number: the handler throws.
  EXPECT_TRUE(talk(world.port(), "GET /x HTTP/1.1\r\nHost: h\r\n" + end)
                  .starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
}

TEST(Server, single_bytes_and_chunks_are_put_together) {
  ServerWorld world;
  Client client(world.port());
  const std::string text =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  for (const char& byte : text) client.write({&byte, 1});
  EXPECT_TRUE(client.read_all().ends_with("POST /a  abcde"));
}

TEST(Server, a_client_that_waits_for_100_continue_gets_it) {
  ServerWorld world;
  Client client(world.port());
  client.write(
      "POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
      "Connection: close\r\n\r\n");
  EXPECT_EQ(client.read_some(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.write("ok");
  EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST(Server, refusals_reach_a_client_that_is_still_sending) {
  ServerWorld world({.max_header_bytes = 2000, .max_body_bytes = 5000});
  const std::string post = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_TRUE(talk(world.port(), "what\r\n\r\n is this\r\n\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(talk(world.port(), post + "X: " + std::string(300'000, 'x') + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
  const std::string large(300'000, 'x');
  EXPECT_TRUE(talk(world.port(), post + "Content-Length: 300000\r\n\r\n" + large)
                  .starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(talk(world.port(), post + "Transfer-Encoding: chunked\r\n\r\n493e0\r\n" + large)
                  .starts_with("HTTP/1.1 413 "));
}

// Closing with bytes unread would reset the connection, and some systems then lose the answer.
TEST(Server, a_refused_client_sees_a_proper_end) {
  ServerWorld world({.max_body_bytes = 5000});
  Client client(world.port());
  client.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n");
  EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 413 "));
  const std::string piece(1000, 'x');
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(client.write(piece)) << i;
}

TEST(Server, a_slow_sender_is_told_and_an_idle_one_is_not) {
  ServerWorld world({.request_timeout = Duration::millis(50)});
  EXPECT_TRUE(talk(world.port(), "POST / HTTP/1.1\r\nHost: h\r\n").starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(talk(world.port(), "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab")
                  .starts_with("HTTP/1.1 408 "));
  EXPECT_EQ(talk(world.port(), ""), "");
  EXPECT_EQ(talk(world.port(), "GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nGET /  ");
}

// One byte before each deadline must not keep a request alive.
TEST(Server, dripping_does_not_help_a_slow_sender) {
  ServerWorld world({.request_timeout = Duration::millis(60)});
  Client client(world.port());
  const timeval drip{0, 5'000};
  setsockopt(client.fd(), SOL_SOCKET, SO_RCVTIMEO, &drip, sizeof(drip));
  client.write("GET / HTTP/1.1\r\nHost: ");
  std::string said;
  for (int i = 0; i < 1000 && said.empty(); ++i) {
    client.write("x");
    said = client.read_some();
  }
  EXPECT_TRUE(said.starts_with("HTTP/1.1 408 ")) << said;
}

TEST(Server, answers_wait_for_a_client_that_does_not_read_and_requests_wait_with_them) {
  std::atomic<int> answered = 0;
  const std::string large(200'000, 'x');
  ServerWorld world({.request_timeout = Duration::seconds(10)}, [&](const ServerRequest&) {
    ++answered;
    ServerResponse response;
    response.body = large;
    return response;
  });
  Client client(world.port());
  const int count = 100;  // One read brings them all.
  std::string requests;
  for (int i = 0; i < count; ++i) requests += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  client.write(requests);
  client.write("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (answered <= count && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
  EXPECT_LT(answered, count);
  const std::size_t size = client.read_all().size();
  EXPECT_GT(size, large.size() * (count + 1));
  EXPECT_EQ(answered, count + 1);
}

TEST(Server, a_client_that_never_reads_is_dropped) {
  ServerWorld world({.request_timeout = Duration::millis(50)}, [](const ServerRequest&) {
    ServerResponse response;
    response.body = std::string(32 * 1024 * 1024, 'x');
    return response;
  });
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const std::ptrdiff_t before = open_files();
  Client deaf(world.port());
  deaf.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_NE(deaf.read_some(), "");
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (open_files() > before + 1 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  EXPECT_EQ(open_files(), before + 1) << "the client's own";
}

TEST(Server, one_connection_too_many_takes_the_place_of_the_one_waited_for_longest) {
  ServerWorld world({.max_connections = 3});
  Client silent(world.port());
  Client half(world.port());
  half.write("GET / HTTP/1.1\r\nHo");
  Client good(world.port());
  good.write(kGet);
  EXPECT_TRUE(good.read_some().starts_with("HTTP/1.1 200 OK"));
  EXPECT_TRUE(talk(world.port(), kLast).starts_with("HTTP/1.1 200 OK"));
  EXPECT_EQ(silent.read_all(), "");
  Client fourth(world.port());
  fourth.write(kGet);
  EXPECT_TRUE(fourth.read_some().starts_with("HTTP/1.1 200 OK"));
  EXPECT_TRUE(talk(world.port(), kLast).starts_with("HTTP/1.1 200 OK"));
  EXPECT_EQ(half.read_all(), "") << "nobody is told that he was slow where places are short";
  good.write(kLast);
  EXPECT_TRUE(good.read_all().starts_with("HTTP/1.1 200 OK")) << "he had the answer last";
}

TEST(Server, those_that_are_through_are_the_first_to_make_room) {
  ServerWorld world({.max_connections = 2});
  Client good(world.port());
  good.write(kGet);
  EXPECT_TRUE(good.read_some().starts_with("HTTP/1.1 200 OK"));
  for (int i = 0; i < 10; ++i) {
    Client refused(world.port());
    refused.write("no HTTP\r\n\r\n");
    EXPECT_TRUE(refused.read_some().starts_with("HTTP/1.1 400 "));
    Client next(world.port());
    next.write(kLast);
    EXPECT_TRUE(next.read_all().starts_with("HTTP/1.1 200 OK"));
  }
  good.write(kLast);
  EXPECT_TRUE(good.read_all().starts_with("HTTP/1.1 200 OK"));
}

TEST(Server, one_too_many_is_refused_while_all_have_answers_under_way) {
  const auto body = std::make_shared<OpenBody>();
  ServerWorld world({.max_connections = 1}, [&](const ServerRequest&) {
    ServerResponse response;
    response.open_body = body;
    return response;
  });
  Client reader(world.port());
  reader.write(kGet);
  EXPECT_TRUE(reader.read_some().starts_with("HTTP/1.1 200 OK"));
  EXPECT_TRUE(talk(world.port(), "").starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(world.write(*body, "still there"));
  EXPECT_NE(reader.read_some(), "");
}

TEST(Server, a_port_that_is_taken_is_said_by_name) {
  std::uint16_t port = 0;
  const int taken = listen_on_free_port(port);
  boost::asio::io_context io(1);
  try {
    Server server(io, {.port = port}, ServerWorld::echo);
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(),
              "cannot listen on 127.0.0.1:" + std::to_string(port) + ": address already in use");
  }
  ::close(taken);
  EXPECT_THROW(Server(io, {.host = "no-such-host.invalid"}, ServerWorld::echo), std::runtime_error);
}

TEST(Server, names_and_bracketed_ipv6_addresses_are_understood) {
  boost::asio::io_context io(1);
  EXPECT_NE(Server(io, {.host = "localhost"}, ServerWorld::echo).port(), 0);
  try {
    EXPECT_NE(Server(io, {.host = "[::1]"}, ServerWorld::echo).port(), 0);
  } catch (const std::runtime_error& error) {
    EXPECT_TRUE(std::string(error.what()).find("address family") != std::string::npos ||
                std::string(error.what()).find("assign requested") != std::string::npos)
        << error.what();  // A machine without IPv6.
  }
}

TEST(Server, the_gates_own_client_gets_along_with_it) {
  std::atomic<int> received = 0;
  ServerWorld server({}, [&](const ServerRequest& request) {
    ServerResponse response;
    response.status = request.body == "{}" && request.path == "/callback" ? 204 : 400;
    ++received;
    return response;
  });
  TargetWorld world(server.port());
  world.options.max_in_flight = 16;
  world.run_until([&] {
    while (world.sent < 2000 && world.sent < world.events.size() + 16) world.send();
    return world.events.size() == 2000;
  });
  EXPECT_EQ(received, 2000);
  EXPECT_EQ(world.trouble(), "");
}

}  // namespace
}  // namespace einlass::http::testing
