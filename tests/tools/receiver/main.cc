// receiver: an HTTP server that remembers what it was sent and answers as it is told.
#include <sys/prctl.h>
#include <sys/signalfd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "tools/receiver/server.h"

int main(int argc, char** argv) {
  CLI::App app{"An HTTP server that remembers what it was sent and answers as it is told"};
  std::uint16_t port = 0;
  std::uint16_t control_port = 0;
  app.add_option("--port", port, "where gates deliver to; 0: any free one");
  app.add_option("--control-port", control_port, "where tests ask and tell; 0: any free one");
  CLI11_PARSE(app, argc, argv);

  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  sigprocmask(SIG_BLOCK, &stops, nullptr);
  const int stop_fd = signalfd(-1, &stops, SFD_CLOEXEC);
  try {
    einlass::tools::Server server(port, control_port);
    std::cout << "port=" << server.port() << " control_port=" << server.control_port() << std::endl;
    server.run(stop_fd);
  } catch (const std::exception& error) {
    std::cerr << "receiver: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
