#include "app/targets/request_template.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "adapters/http/client/request_writer.h"
#include "config/file/read_config.h"
#include "unit/app/record/stored.h"

namespace einlass::app {
namespace {

// An HTTP target as a configuration has it.
config::HttpTarget http_of(const std::string& text) {
  const auto nothing = [](const std::string&) -> std::optional<std::string> { return {}; };
  const auto read = config::parse_config(
      "targets: {t: {http: {" + text + "}}}\nroutes: [{name: r, topics: [a], target: t}]\n", "F",
      nothing);
  if (const auto* mistakes = std::get_if<config::Mistakes>(&read)) {
    ADD_FAILURE() << mistakes->front().to_string();
    return {};
  }
  return *std::get<config::Config>(read).targets.front().http();
}

struct Made {
  std::string why, host, path, method, headers;
};

class RequestOfARecord : public ::testing::Test {
 protected:
  RequestOfARecord() {
    message.topic = "results";
    message.number = PartitionNumber{2};
    message.offset = Offset{41};
    message.key = "a&b c";
    message.value = R"({"order": {"id": 7, "name": "ü?&=#", "none": null, "list": []}})";
    headers = {{"Tenant", "acme"}, {"verb", "PUT"}, {"none", std::nullopt}, {"empty", ""}};
  }

  Made make(const std::string& text) {
    message.headers = headers;
    const config::HttpTarget http = http_of(text);
    const Stored stored(message, needs_of({}, http));
    RequestTemplate parts(http);
    http::Request request{};
    std::size_t room = 8 << 10;
    std::vector<http::RequestHeader> made;
    Made result;
    result.why = parts.fill(stored.record, request, made, room).why;
    result.host = request.host;
    result.path = request.path;
    result.method = request.method;
    for (const auto& header : made) {
      result.headers += std::string(header.name) + ": " + std::string(header.value) + "\n";
    }
    return result;
  }
  std::string path(const std::string& url) { return make("url: '" + url + "'").path; }
  std::string why(const std::string& text) { return make(text).why; }

  kafka::Message message;
  std::vector<kafka::Header> headers;
};

TEST_F(RequestOfARecord, its_parts_stand_encoded_in_path_and_query) {
  EXPECT_EQ(path("http://h/x/{topic}/{partition}-{offset}"), "/x/results/2-41");
  EXPECT_EQ(path("http://h/{key}?t={header:tenant}&n={json:/order/name}"),
            "/a%26b%20c?t=acme&n=%C3%BC%3F%26%3D%23");
  EXPECT_EQ(path("http://h/{json:/order/id}"), "/7");
  EXPECT_EQ(path("http://h?e={header:empty}"), "/?e=");
  EXPECT_EQ(path("http://h/{{{topic}}}"), "/{results}");
}

TEST_F(RequestOfARecord, what_it_lacks_is_said_without_what_it_has) {
  EXPECT_EQ(why("url: 'http://h/{header:nobody}'"),
            "no URL for it: the record has no {header:nobody}");
  EXPECT_EQ(why("url: 'http://h/{header:none}'"), "no URL for it: the record has no {header:none}");
  EXPECT_EQ(why("url: 'http://h/{header:empty}'"), "no URL for it: {header:empty} is empty");
  for (const std::string pointer : {"/order/none", "/order/list", "/order", "/nobody"}) {
    EXPECT_EQ(why("url: 'http://h/{json:" + pointer + "}'"),
              "no URL for it: the record has no {json:" + pointer + "}");
  }
  message.key = std::nullopt;
  EXPECT_EQ(why("url: 'http://h/{key}'"), "no URL for it: the record has no {key}");
  message.value = "{\"order\": ";
  EXPECT_EQ(why("url: 'http://h/{json:/order}'"), "no URL for it: the record has no {json:/order}");
}

// What else than one segment servers, or those before them, could read.
const std::string kOther[] = {"a/b",        "/",      "../x",     "a\\b",    "..\\x",
                              "%2Fx",       "x%2f",   "%5Cx",     "a%00",    "..%2Fx",
                              "..%2f..%5C", "a%2F..", "%2e%2e/x", "x/../..", {"a\0b", 3},
                              {"..\0", 3},  "..;/x",  "..%3B/x",  "x/..%3b"};
const std::string kDots[] = {".", "..", "%2e", "%2E%2e", ".%2E", "..;", "..;a=b", "..%3Ba", ".;"};

TEST_F(RequestOfARecord, a_part_of_its_path_is_one_segment) {
  for (const std::string& key : kOther) {
    message.key = key;
    EXPECT_EQ(why("url: 'http://h/a/{key}/b'"),
              "no URL for it: {key} has a slash, a backslash or a NUL, plain or percent-encoded")
        << key;
  }
  for (const std::string& key : kDots) {
    message.key = key;
    EXPECT_EQ(why("url: 'http://h/a/{key}/b'"), "no URL for it: {key} would make a segment . or ..")
        << key;
  }
  for (const std::string key : {"...", "a..", "..a", "100%", "%2", "%zz", "a;b", "%252F", ";.."}) {
    message.key = key;
    EXPECT_EQ(why("url: 'http://h/a/{key}/b'"), "") << key;
  }
  const std::string too_long(9000, 'x');
  message.key = too_long;
  EXPECT_EQ(why("url: 'http://h/{key}'"),
            "no URL for it: the record has more for the head than head_bytes");
}

TEST_F(RequestOfARecord, a_segment_of_several_parts_is_one_too) {
  message.key = ".";
  headers[0].value = ".";
  EXPECT_EQ(why("url: 'http://h/{topic}/{key}{header:tenant}?x'"),
            "no URL for it: {key}{header:tenant} would make a segment . or ..");
  EXPECT_EQ(why("url: 'http://h/.{key}/{topic}'"),
            "no URL for it: {key} would make a segment . or ..");
  EXPECT_EQ(why("url: 'http://h/a%2F.{key}'"), "no URL for it: {key} would make a segment . or ..");
  EXPECT_EQ(path("http://h/v{key}/{topic}.{key}"), "/v./results..");
  message.key = "%2";
  headers[0].value = "Fx";
  EXPECT_EQ(why("url: 'http://h/{key}{header:tenant}'"),
            "no URL for it: {key}{header:tenant} has a slash, a backslash or a NUL, plain or "
            "percent-encoded");
  message.key = "x";
  EXPECT_EQ(path("http://h/group%2F{key}"), "/group%2Fx");
}

TEST_F(RequestOfARecord, a_part_of_its_query_may_be_anything) {
  for (const std::string& key : kOther) {
    message.key = key;
    EXPECT_EQ(why("url: 'http://h/a?b={key}/{key}'"), "") << key;
  }
  message.key = "../a";
  EXPECT_EQ(path("http://h/{topic}/?b=/x/{key}"), "/results/?b=/x/..%2Fa");
}

TEST_F(RequestOfARecord, where_slashes_are_allowed_it_still_cannot_climb) {
  const std::string allowed = "url: 'http://h/a/{key}/b', allow_slash: true";
  for (const auto& [key, written] : {std::pair<std::string, std::string>{"a/b", "a%2Fb"},
                                     {"/", "%2F"},
                                     {"x/..y/z..", "x%2F..y%2Fz.."},
                                     {"a%2Fb", "a%252Fb"}}) {
    message.key = key;
    EXPECT_EQ(make(allowed).path, "/a/" + written + "/b");
  }
  for (const std::string key :
       {"..", "../x", "x/..", "x/./y", "..%2Fx", "x%2F%2e%2e", "%2e%2e/x", "..;/x", "x/..%3Ba"}) {
    message.key = key;
    EXPECT_EQ(why(allowed), "no URL for it: {key} would make a segment . or ..") << key;
  }
  for (const std::string& key :
       {std::string("a\\b"), std::string("x/%5C.."), std::string("a\0", 2)}) {
    message.key = key;
    EXPECT_EQ(why(allowed),
              "no URL for it: {key} has a backslash or a NUL, plain or percent-encoded")
        << key;
  }
}

TEST_F(RequestOfARecord, it_names_a_host_that_may_be_called) {
  const std::string allowed =
      ", allow_hosts: [billing.example, '*.tenants.example', 10.0.0.1], allow_private: true";
  const auto host = [&](const std::string& name) {
    headers[0].value = name;
    return make("url: 'http://{header:tenant}:8080/in'" + allowed);
  };
  for (const std::string good : {"billing.example", "a.tenants.example", "a.b.tenants.example",
                                 "BILLING.example", "10.0.0.1"}) {
    EXPECT_EQ(host(good).why, "") << good;
  }
  EXPECT_EQ(host("A.Tenants.EXAMPLE").host, "a.tenants.example");
  headers[0].value = "acme";
  EXPECT_EQ(make("url: 'http://{header:tenant}.tenants.example/{key}?a'" + allowed).path,
            "/a%26b%20c?a");
  for (const std::string other : {"evil.example", "tenants.example", "xtenants.example",
                                  "billing.example.evil", "10.0.0.2", "localhost"}) {
    EXPECT_EQ(host(other).why, "no URL for it: its host is not one of allow_hosts") << other;
  }
  for (const std::string odd :
       {"", "billing.example:22", "billing.example/", "a@billing.example", "billing.example.",
        ".tenants.example", "a..tenants.example", "[::1]", "billing.example\r\nX: y",
        "billing.example#.tenants.example", "%61.tenants.example", "b\u00fcro.tenants.example"}) {
    EXPECT_EQ(host(odd).why, "no URL for it: what the record has is no host") << odd;
  }
  EXPECT_EQ(host(std::string(64, 'a') + ".tenants.example").why,
            "no URL for it: what the record has is no host");
}

TEST_F(RequestOfARecord, it_names_the_method_and_writes_headers) {
  const Made made = make(
      "url: http://h/, method: '{header:verb}', headers: {X-Order: 'o-{json:/order/id}', X-Same: "
      "a, "
      "X-Braces: '{{a}}'}");
  EXPECT_EQ(made.why, "");
  EXPECT_EQ(made.method, "PUT");
  EXPECT_EQ(made.headers, "X-Order: o-7\n");
  for (const std::string verb :
       {"put", "", "HEAD", "CONNECT", "TRACE", "PRI", "PUT / HTTP/1.1\r\nA: b"}) {
    headers[1].value = verb;
    EXPECT_EQ(why("url: http://h/, method: '{header:verb}'"),
              "no method for it: what the record has is none");
  }
}

TEST_F(RequestOfARecord, a_number_that_was_rounded_is_no_part_of_it) {
  for (const char* id : {"18446744073709551616", "-9223372036854775809", "1e16"}) {
    const std::string value = std::string("{\"id\": ") + id + "}";
    message.value = value;
    EXPECT_EQ(why("url: 'http://h/{json:/id}'"),
              "no URL for it: {json:/id} is a number that is not kept as it is written");
  }
}

TEST_F(RequestOfARecord, it_cannot_write_a_header_of_its_own) {
  for (const std::string& key : {std::string("a\r\nX-Injected: b"), std::string("a\nb"),
                                 std::string("a\0b", 3), std::string("\x7f")}) {
    message.key = key;
    EXPECT_EQ(why("url: http://h/, headers: {X-Key: '{key}'}"),
              "no header X-Key for it: what the record has holds control characters");
  }
}

TEST_F(RequestOfARecord, a_password_with_braces_is_none_of_it) {
  const config::HttpTarget http = http_of(
      "url: http://h/, headers: {Authorization: 'Bearer {topic', "
      "X-Api-Key_file: /proc/sys/kernel/ostype}");
  EXPECT_EQ(http.headers.front().second, "Bearer {topic");
  EXPECT_TRUE(http.header_templates.empty());
}

}  // namespace
}  // namespace einlass::app
