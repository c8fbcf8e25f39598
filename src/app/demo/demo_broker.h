// The demo's Kafka, in a process of its own: started by the demo, and ended with it.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/streambuf.hpp>
#include <string>

#include "app/demo/demo.h"

namespace einlass::app {

class DemoBroker {
 public:
  // Starts the process and waits for its address. Throws std::runtime_error if it does not come.
  DemoBroker(boost::asio::io_context& io, const DemoOptions& options);

  ~DemoBroker() { end(); }
  DemoBroker(const DemoBroker&) = delete;
  DemoBroker& operator=(const DemoBroker&) = delete;

  const std::string& address() const { return address_; }
  static long planned(const DemoOptions& options);
  long planned() const { return planned_; }
  long produced() const { return produced_; }  // Acknowledged by the broker.
  bool finished() const { return produced_ == planned_; }

  // Ends the process.
  void end();

 private:
  void read_on();

  const long planned_;
  pid_t child_ = -1;
  boost::asio::posix::stream_descriptor from_child_;
  boost::asio::streambuf text_;
  std::string address_;
  long produced_ = 0;
};

}  // namespace einlass::app
