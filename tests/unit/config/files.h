// Finds the project's own files from the tests, and makes short-lived ones.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace einlass::config {

inline std::filesystem::path project() {
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path();
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// A file that is gone with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    char name[] = "/tmp/einlass-config-XXXXXX";
    const int file = mkstemp(name);
    path_ = name;
    std::ofstream(path_, std::ios::binary) << text;
    close(file);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }

 private:
  std::string path_;
};

}  // namespace einlass::config
