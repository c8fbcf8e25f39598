#include "app/replay/interruption.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "units/check.h"

namespace einlass::app {

Interruption::Interruption() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals_, nullptr);
  descriptor_ = signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
  CHECK(descriptor_ >= 0);
}

// The one that has come is taken, so that it does not end the process now.
Interruption::~Interruption() {
  signalfd_siginfo taken;
  while (read(descriptor_, &taken, sizeof taken) > 0) {
  }
  close(descriptor_);
  sigprocmask(SIG_UNBLOCK, &signals_, nullptr);
}

}  // namespace einlass::app
