#include "app/request_template.h"

#include <gtest/gtest.h>

#include <string>

#include "adapters/http/request_writer.h"
#include "config/read_config.h"
#include "unit/app/stored.h"

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
  return std::get<config::Config>(read).targets.front().http;
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
    message.key = "a/b c";
    message.value = R"({"order": {"id": 7, "name": "ü?&=#", "none": null, "list": []}})";
    headers = {{"Tenant", "acme"}, {"verb", "PUT"}, {"none", std::nullopt}, {"empty", ""}};
  }

  Made make(const std::string& text) {
    message.headers = headers;
    const config::HttpTarget http = http_of(text);
    const Stored stored(message, needs_of({}, http));
    RequestTemplate parts(http);
    EXPECT_TRUE(parts.any());
    http::Request request{};
    std::vector<http::RequestHeader> made;
    Made result;
    result.why = parts.fill(stored.record, request, made);
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
            "/a%2Fb%20c?t=acme&n=%C3%BC%3F%26%3D%23");
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

TEST_F(RequestOfARecord, it_cannot_climb_out_of_its_path) {
  for (const std::string key : {".", "..", "../../admin"}) {
    message.key = key;
    const Made made = make("url: 'http://h/a/{key}/b'");
    if (key == "../../admin") {
      EXPECT_EQ(made.path, "/a/..%2F..%2Fadmin/b");
    } else {
      EXPECT_EQ(made.why, "no URL for it: a part of its path would be . or ..");
    }
  }
  const std::string too_long(9000, 'x');
  message.key = too_long;
  EXPECT_EQ(why("url: 'http://h/{key}'"), "no URL for it: it would be longer than 8 KiB");
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
            "/a%2Fb%20c?a");
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
  for (const std::string verb : {"put", "", "HEAD", "CONNECT", "TRACE", "PUT / HTTP/1.1\r\nA: b"}) {
    headers[1].value = verb;
    EXPECT_EQ(why("url: http://h/, method: '{header:verb}'"),
              "no method for it: what the record has is none");
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
      "url: http://h/, headers: {Authorization: 'Bearer {topic', X-Api-Key_file: /dev/null}");
  EXPECT_EQ(http.headers.front().second, "Bearer {topic");
  EXPECT_TRUE(http.header_templates.empty());
}

}  // namespace
}  // namespace einlass::app
