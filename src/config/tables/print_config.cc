#include "config/tables/print_config.h"

#include "config/tables/tables.h"

namespace einlass::config {

std::string print_config(const Config& config) {
  PrintedPage page(config);
  print(page, kConfig, config);
  return page.take();
}

std::vector<WrittenOption> written_options(const Config& config) {
  PrintedPage page(config);
  print(page, kConfig, config);
  return page.take_options();
}

}  // namespace einlass::config
