// SIGINT and SIGTERM as something to be waited for beside a file: none is lost between a look and a
// read.
#pragma once

#include <csignal>

namespace einlass::app {

class Interruption {
 public:
  // From here on the signals only make descriptor() readable. REQUIRES: no threads yet.
  Interruption();

  // From here on they end the process.
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  sigset_t signals_;
  int descriptor_;
};

}  // namespace einlass::app
