#include "config/yaml/masked_text.hpp"

#include "config/yaml/yaml_tree.hpp"

#include <gtest/gtest.h>

namespace runnel::config {
namespace {

TEST(MaskedText, HidesSecretsAndNothingElse) {
    EXPECT_EQ(masked_text(R"(listen: 127.0.0.1:8080  # as always
providers:
  openai: {kind: openai, api_key: sk-live-123456}
  claude:
    kind: anthropic
    api_key: "k-quoted"
    headers: {X-Team: blue, Authorization: 'Bearer abc'}
  many: {kind: openai, keys: [one-secret, "${TWO}", 'three']}
  named: {kind: openai, api_key: "${OPENAI_API_KEY}"}
admin: {token: hunter2}
store: postgres://runnel:pass@db.test/runnel
shared: redis://:${REDIS_PASSWORD}@cache.test
)"),
              R"(listen: 127.0.0.1:8080  # as always
providers:
  openai: {kind: openai, api_key: "***"}
  claude:
    kind: anthropic
    api_key: "***"
    headers: {X-Team: "***", Authorization: '***'}
  many: {kind: openai, keys: ["***", "${TWO}", '***']}
  named: {kind: openai, api_key: "${OPENAI_API_KEY}"}
admin: {token: "***"}
store: postgres://runnel:***@db.test/runnel
shared: redis://:${REDIS_PASSWORD}@cache.test
)");
}

TEST(MaskedText, WhereASecretIsToBeFoundIsNone) {
    const std::string_view yaml = R"(providers:
  one: {kind: openai, api_key: {file: /etc/keys/one}, headers: {X-Key: {credential: two}}}
)";
    EXPECT_EQ(masked_text(yaml), yaml);
    // But a header or a variable may have any name.
    const std::string masked =
        masked_text("env: {file: hunter22}\nheaders: {credential: hunter22}");
    EXPECT_EQ(masked.find("hunter22"), std::string::npos) << masked;
}

TEST(MaskedText, FindsSecretsHoweverTheyAreWritten) {
    const std::string_view ways[] = {
        "admin: {token: hunter22}",
        "admin:\n  token: |\n    hunter22\n",
        "admin:\n  token: >-\n    hunter22\n    more\n",
        "admin:\n  token:\n    hunter22\n",
        "admin: {token: !!str hunter22}",
        "admin: {token: &secret hunter22}\nother: {api_key: *secret}",
        "# the old one was hunter22\nadmin: {token: hunter22}",
        "{\"admin\": {\"token\": \"hunter22\"}}",
        "admin: {token: 'hunter22'}\r\n",
        "ä: ö\nadmin: {ü: 1, token: hunter22}",
        "tools: {x: {mcp: {command: c, env: {ANYTHING: hunter22}}}}",
        "headers:\n  - hunter22\n",
        "proxy: http://me:hunter22@proxy.test:3128",
        "admin: {token: hunter22",  // no YAML
    };
    for (const std::string_view yaml : ways) {
        const std::string masked = masked_text(yaml);
        EXPECT_EQ(masked.find("hunter22"), std::string::npos) << masked;
        EXPECT_NE(masked.find("***"), std::string::npos) << masked;
        if (parse_yaml(yaml)) {
            EXPECT_TRUE(parse_yaml(masked)) << masked;
        }
    }
}

TEST(MaskedText, TakesTextsOfEveryLength) {
    EXPECT_EQ(masked_text(""), "");
    EXPECT_EQ(masked_text("\n"), "\n");
    EXPECT_EQ(masked_text("listen: x"), "listen: x");
}

}  // namespace
}  // namespace runnel::config
