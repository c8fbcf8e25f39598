#include "app/replay/replay_book.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace einlass::app {
namespace {

TEST(ReplayBook, finds_the_last_ask_of_an_id) {
  ReplayBook book;
  EXPECT_EQ(book.find("a"), nullptr);
  book.add("a").number = 1;
  book.add("b").number = 2;
  EXPECT_EQ(book.find("a")->number, 1U);
  book.add("a").number = 3;
  EXPECT_EQ(book.find("a")->number, 3U);
  EXPECT_EQ(book.find("b")->number, 2U);
}

TEST(ReplayBook, knows_how_many_permits_are_left) {
  ReplayBook book;
  Asked& asked = book.add("a");
  EXPECT_FALSE(asked.answered);
  book.answered(asked, std::vector<Duration>{{0}, {1}, {2}});
  EXPECT_TRUE(asked.answered);
  EXPECT_EQ(asked.left(), 3U);
  asked.returned = 2;
  EXPECT_EQ(asked.left(), 1U);
  asked.ended = true;
  EXPECT_EQ(asked.left(), 0U);
}

TEST(ReplayBook, forgets_the_oldest_asks) {
  ReplayBook book;
  book.add("twice").number = 1;
  book.add("first").number = 2;
  book.add("twice").number = 3;
  for (std::size_t i = 3; i < ReplayBook::kMostAsked; ++i) book.add("x" + std::to_string(i));
  EXPECT_NE(book.find("first"), nullptr);
  book.add("one more");
  EXPECT_EQ(book.find("twice")->number, 3U);  // Not the one of that id which has gone.
  book.add("and one");
  EXPECT_EQ(book.find("first"), nullptr);
  book.add("and one again");
  EXPECT_EQ(book.find("twice"), nullptr);
}

TEST(ReplayBook, forgets_when_there_are_too_many_permits) {
  ReplayBook book;
  const std::vector<Duration> many(65'536);
  for (int i = 0; i <= 61; ++i) {
    const std::string id = std::to_string(i);
    book.answered(book.add(id), many);
    EXPECT_NE(book.find(id), nullptr);
  }
  EXPECT_EQ(book.find("0"), nullptr);
  EXPECT_NE(book.find("1"), nullptr);
}

}  // namespace
}  // namespace einlass::app
