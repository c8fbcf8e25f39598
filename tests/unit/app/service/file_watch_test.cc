#include "app/service/file_watch.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "adapters/temporary_directory.h"

namespace einlass::app {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class FileWatchTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::string file() const { return folder_ / "gate.yaml"; }

  // Turns the loop until so many changes were told, for at most ten seconds.
  void expect_told(int count) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (told_ < count && std::chrono::steady_clock::now() < deadline) io_.run_one_for(100ms);
    EXPECT_EQ(told_, count);
  }

  // Turns it long enough for some looks.
  void expect_no_more() {
    const int before = told_;
    io_.run_for(20 * kPeriod);
    EXPECT_EQ(told_, before);
  }

  void tell() { ++told_; }

  static constexpr std::chrono::milliseconds kPeriod{5};
  adapters::testing::TemporaryDirectory directory_;
  const fs::path folder_ = directory_.path();
  boost::asio::io_context io_;
  int told_ = 0;
};

TEST_F(FileWatchTest, EachChangeIsToldOnce) {
  write("gate.yaml", "a: 1");
  const FileWatch watch(
      io_, file(), net::mark_of(file()).value(), [this] { tell(); }, kPeriod);
  expect_no_more();
  write("gate.yaml", "a: 22");
  expect_told(1);
  expect_no_more();
  write("gate.yaml", "a: 333");
  expect_told(2);
}

// A start may take a minute where brokers are to be waited for.
TEST_F(FileWatchTest, WhatHasChangedSinceItWasReadIsToldToo) {
  write("gate.yaml", "a: 1");
  const net::FileMark read = net::mark_of(file()).value();
  write("gate.yaml", "a: 22");
  const FileWatch watch(
      io_, file(), read, [this] { tell(); }, kPeriod);
  expect_told(1);
  expect_no_more();
}

// As the kubelet gives a pod what its ConfigMap says now.
TEST_F(FileWatchTest, ALinkThatIsTurned) {
  fs::create_directory(folder_ / "1");
  fs::create_directory(folder_ / "2");
  write("1/gate.yaml", "a: 1");
  write("2/gate.yaml", "a: 2");
  fs::create_symlink("1", folder_ / "data");
  fs::create_symlink("data/gate.yaml", folder_ / "gate.yaml");
  const FileWatch watch(
      io_, file(), net::mark_of(file()).value(), [this] { tell(); }, kPeriod);
  fs::create_symlink("2", folder_ / "next");
  fs::rename(folder_ / "next", folder_ / "data");
  expect_told(1);
}

TEST_F(FileWatchTest, OneThatIsGoneIsWaitedFor) {
  write("gate.yaml", "a: 1");
  const FileWatch watch(
      io_, file(), net::mark_of(file()).value(), [this] { tell(); }, kPeriod);
  fs::remove(folder_ / "gate.yaml");
  expect_no_more();
  write("gate.yaml", "a: 22");
  expect_told(1);
}

// What is still being written is half a configuration.
TEST_F(FileWatchTest, OneThatIsBeingWrittenIsLeftAlone) {
  write("gate.yaml", "a: 1");
  const FileWatch watch(
      io_, file(), net::mark_of(file()).value(), [this] { tell(); }, 50ms);
  for (int i = 0; i < 20;
       ++i) {  // At least once between two looks, as far as the machine is not stopped.
    std::ofstream(folder_ / "gate.yaml", std::ios::app) << "b";
    io_.run_for(10ms);
    ASSERT_EQ(told_, 0);
  }
  expect_told(1);
}

}  // namespace
}  // namespace einlass::app
