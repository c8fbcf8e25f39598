#include "adapters/http/resolver/lookup.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "adapters/http/resolver/lookup_turns.h"

namespace einlass::http {

using boost::system::error_code;
using Tcp = boost::asio::ip::tcp;

// What the loop has in common with a thread that may be there long after the loop has gone.
struct Lookup::Shared {
  std::mutex mutex;
  boost::asio::io_context* io;  // Null: nobody waits any more. Changed by the loop alone.
  Found found;
  // So that the loop does not run out of work meanwhile.
  std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work{};
};

Lookup::Lookup(boost::asio::io_context& io, std::optional<std::string> named_by, Found found)
    : shared_{new Shared{.mutex = {}, .io = &io, .found = std::move(found)}},
      named_by_{std::move(named_by)} {}

Lookup::~Lookup() {
  const std::lock_guard lock(shared_->mutex);
  shared_->io = nullptr;
  shared_->work.reset();
}

void Lookup::start(const std::string& host, std::uint16_t port,
                   std::chrono::microseconds patience) {
  shared_->work.emplace(shared_->io->get_executor());
  const auto end = [shared = shared_](error_code error,
                                      const Tcp::resolver::results_type& results) {
    const std::lock_guard lock(shared->mutex);
    if (shared->io == nullptr) return;
    boost::asio::post(*shared->io, [shared, error, results] {
      if (shared->io == nullptr) return;
      shared->work.reset();
      shared->found(error, results);
    });
  };
  const auto look_up = [end, host, port] {
    boost::asio::io_context own;
    error_code error;
    const auto results = Tcp::resolver(own).resolve(host, std::to_string(port),
                                                    Tcp::resolver::numeric_service, error);
    end(error, results);
  };
  if (named_by_) {
    const auto wanted = [shared = shared_] {
      const std::lock_guard lock(shared->mutex);
      return shared->io != nullptr;
    };
    return take_turn({host, *named_by_, std::chrono::steady_clock::now() + patience, wanted,
                      look_up, [end] { end(boost::asio::error::timed_out, {}); }});
  }
  try {
    std::thread(look_up).detach();
  } catch (const std::system_error&) {  // The system has no thread for it now.
    end(boost::asio::error::host_not_found_try_again, {});
  }
}

}  // namespace einlass::http
