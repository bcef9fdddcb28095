#include "cli/request.hpp"
#include "request_case.hpp"
#include "transcoding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

// Any request of an API, read by the gateway and written for a provider, loses nothing that the
// provider can say; warnings name the rest.
namespace runnel::conformance {
namespace {

using What = Said::What;

struct Target {
    std::string_view provider;
    std::string_view model;
    // What it has no word for, beside those of whom nothing is lost: the warning is dropped_NAME.
    std::set<std::string_view> unsayable;
    // What it can't be told, and what the gateway sees to itself, or nobody misses in the answer.
    std::set<std::string_view> silent;
};

const Target targets[] = {
    {"openai", "gpt-4o", {}, {}},
    {"anthropic",
     "claude-haiku-4-5",
     {"seed", "presence_penalty", "frequency_penalty", "logit_bias", "min_p", "verbosity",
      "prompt_cache_key"},
     {}},
    {"gemini",
     "gemini-2.5-flash",
     {"logit_bias", "min_p", "verbosity", "prompt_cache_key", "service_tier"},
     {"user", "one_call_only"}},
    {"ollama",
     "llama3.2",
     {"logit_bias", "verbosity", "prompt_cache_key", "service_tier"},
     {"user", "one_call_only", "choice"}},
};

// Types as JSON Schema writes them, without what only Gemini adds.
Json plain_schema(Json schema) {
    if (!schema.is_structured()) return schema;
    if (schema.is_object()) {
        for (const char* extra : {"propertyOrdering", "additionalProperties"}) schema.erase(extra);
        if (schema.contains("type") && schema["type"].is_string()) {
            std::string type = schema["type"];
            std::ranges::transform(type, type.begin(),
                                   [](unsigned char c) { return std::tolower(c); });
            schema["type"] = type;
        }
    }
    for (Json& inner : schema) inner = plain_schema(inner);
    return nlohmann::json(schema);  // in no order
}

// Neighbours of a kind are one, and where a provider has pictures apart from the words, they come
// last.
std::vector<Said> joined(const std::vector<Said>& said, bool images_last) {
    std::vector<Said> all;
    for (const Said& one : said) {
        const bool is_words = one.what == What::user || one.what == What::assistant;
        auto place = all.end();
        if (images_last && one.what == What::user)
            while (place != all.begin() && std::prev(place)->what == What::image) --place;
        if (is_words && place != all.begin() && std::prev(place)->what == one.what)
            std::prev(place)->text += one.text;
        else
            all.insert(place, one);
    }
    for (Said& one : all)
        if (one.what == What::call) one.arguments = Json::parse(one.arguments).dump();
    return all;
}

class Comparison {
public:
    bool has_temperature = false;  // Claude takes no top_p beside one

    Comparison(const Target& target, std::string_view api, const Json& request)
        : target_(target),
          api_(api) {
        for (const Json& warning : field(request, "warnings")) warnings_.insert(text_of(warning));
    }

    std::string run(const RequestCase& asked, RequestCase told) {
        const bool images_last = target_.provider == "ollama";
        if (target_.provider == "ollama" && must_call(asked)) take_out_instruction(told);
        // It has no word for that there are no other members.
        if (target_.provider == "gemini" && has_schemas(asked))
            expected_warnings_.insert("schema_sanitized");
        if (joined(asked.said, images_last) != joined(told.said, images_last))
            differs("what was said");
        compare_tools(asked, told);
        if (!target_.silent.contains("choice") && asked.choice != told.choice) differs("choice");
        if (!target_.silent.contains("one_call_only") && asked.one_call_only != told.one_call_only)
            differs("one_call_only");
        if (plain_schema(asked.output_schema) != plain_schema(told.output_schema))
            differs("output_schema");
        for (const auto& [name, value] : asked.fields) compare_field(name, value, told.fields);
        for (const auto& [name, value] : told.fields)
            if (!asked.fields.contains(name) && name != "max_tokens") differs(name);
        for (const std::string& warning : warnings_)
            if (!expected_warnings_.contains(warning)) differs("the warning " + warning);
        return out_;
    }

private:
    static bool must_call(const RequestCase& asked) {
        return !asked.choice.empty() && asked.choice != "auto" && asked.choice != "none";
    }

    static bool has_schemas(const RequestCase& asked) {
        return !asked.tools.empty() || !asked.output_schema.is_null();
    }

    // It can only be asked in words to call a tool.
    void take_out_instruction(RequestCase& told) {
        std::string& text = told.said.front().text;
        const auto begin = text.find("You must call");
        if (told.said.front().what != What::system || begin == std::string::npos)
            return differs("the instruction to call");
        text.resize(begin > 2 ? begin - 2 : 0);
        if (text.empty()) told.said.erase(told.said.begin());
    }

    void compare_tools(const RequestCase& asked, const RequestCase& told) {
        // Ollama has no word for a choice: what may not be called is not offered.
        if (target_.provider == "ollama" && !asked.choice.empty() && asked.choice != "auto" &&
            asked.choice != "required")
            return;
        if (asked.tools.size() != told.tools.size()) return differs("the number of tools");
        for (std::size_t i = 0; i < asked.tools.size(); ++i)
            if (asked.tools[i].name != told.tools[i].name ||
                asked.tools[i].description != told.tools[i].description ||
                plain_schema(asked.tools[i].schema) != plain_schema(told.tools[i].schema))
                differs("tool " + asked.tools[i].name);
    }

    void compare_field(const std::string& name, const Json& value,
                       const std::map<std::string, Json>& told) {
        if (target_.silent.contains(name)) return;
        if (const std::string warning = expected_loss(name, value); !warning.empty()) {
            expected_warnings_.insert(warning);
            if (!warnings_.contains(warning)) differs("no warning " + warning + ", and " + name);
            if (warning.starts_with("dropped_") && told.contains(name)) differs(name);
            return;
        }
        const auto found = told.find(name);
        if (found == told.end() || found->second != value) differs(name);
    }

    // The word that must be said of it; empty: it can be told.
    std::string expected_loss(const std::string& name, const Json& value) const {
        const bool foreign_to_openai =
            target_.provider == "openai" && api_ != "chat" && (name == "top_k" || name == "min_p");
        if (target_.unsayable.contains(name) || foreign_to_openai) return "dropped_" + name;
        if (target_.provider != "anthropic") return "";
        if (name == "temperature" && value > 1.0) return "clamped_temperature";
        if (name == "top_p" && has_temperature) return "dropped_top_p";
        if (name == "service_tier" && value == "flex") return "dropped_service_tier";
        return "";
    }

    void differs(const std::string& what) { out_ += what + " differs\n"; }

    const Target& target_;
    std::string_view api_;
    std::set<std::string> warnings_, expected_warnings_;
    std::string out_;
};

class RequestOf : public testing::TestWithParam<std::tuple<std::string_view, Target>> {};

void PrintTo(const Target& target, std::ostream* out) { *out << target.provider; }

TEST_P(RequestOf, ReachesTheProviderWhole) {
    const auto& [api, target] = GetParam();
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        const RequestCase asked = random_case(api, random);
        const std::string body = written_as(api, asked, target.model);
        const auto written = cli::write_upstream_request({.from = std::string(api),
                                                          .to = std::string(target.provider),
                                                          .model = std::string(target.model)},
                                                         body);
        ASSERT_TRUE(written) << written.error().message << "\n" << body;
        const Json request = Json::parse(*written);
        const RequestCase told = read_from(target.provider, field(request, "body"));
        Comparison comparison(target, api, request);
        comparison.has_temperature = asked.fields.contains("temperature");
        ASSERT_TRUE(nothing_in(comparison.run(asked, told))) << "case " << i << "\n"
                                                             << describe(asked) << "became\n"
                                                             << describe(told) << "\n"
                                                             << body << "\n"
                                                             << *written;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryApi, RequestOf,
                         testing::Combine(testing::Values("chat", "messages", "responses",
                                                          "gemini"),
                                          testing::ValuesIn(targets)),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param)) + "_to_" +
                                    std::string(std::get<1>(info.param).provider);
                         });

// What only one API has a word for goes on, untouched and in its place, to providers that speak it.
struct SameApi {
    std::string_view api, provider, model;
    std::string_view request;
    std::vector<std::string_view> kept;
};

const SameApi same_apis[] = {
    {"chat",
     "openai",
     "gpt-4o",
     R"({"model":"m","x_top":{"a":[1,2]},"messages":[{"role":"user","x_message":1.50,"content":[{"type":"text","text":"Hi"},{"type":"x_part","x":1}]}],"tools":[{"type":"function","function":{"name":"f","x_tool":true}}]})",
     {R"("x_top":{"a":[1,2]})", R"("x_message":1.50)", R"({"type":"x_part","x":1})",
      R"("x_tool":true)"}},
    {"messages",
     "anthropic",
     "claude-haiku-4-5",
     R"({"model":"m","max_tokens":9,"x_top":{"a":[1,2]},"context_management":{"edits":[]},"system":[{"type":"text","text":"S","x_system":1}],"messages":[{"role":"user","content":[{"type":"text","text":"Hi","x_block":1.50},{"type":"x_part","x":1}]}],"tools":[{"name":"f","input_schema":{"type":"object"},"x_tool":true},{"type":"web_search_20250305","name":"web_search","max_uses":3}]})",
     {R"("x_top":{"a":[1,2]})", R"("context_management":{"edits":[]})", R"("x_system":1)",
      R"("x_block":1.50)", R"({"type":"x_part","x":1})", R"("x_tool":true)",
      R"({"type":"web_search_20250305","name":"web_search","max_uses":3})"}},
    {"gemini",
     "gemini",
     "gemini-2.5-flash",
     R"({"x_top":{"a":[1,2]},"safetySettings":[{"category":"C","threshold":"OFF"}],"cachedContent":"cachedContents/x","generationConfig":{"mediaResolution":"MEDIA_RESOLUTION_LOW","speechConfig":{"voice":1}},"contents":[{"parts":[{"text":"Hi"},{"executableCode":{"code":"1"}}]}],"tools":[{"functionDeclarations":[{"name":"f","behavior":"BLOCKING"}]},{"googleSearch":{}}]})",
     {R"("x_top":{"a":[1,2]})", R"("safetySettings":[{"category":"C","threshold":"OFF"}])",
      R"("cachedContent":"cachedContents/x")", R"("mediaResolution":"MEDIA_RESOLUTION_LOW")",
      R"("speechConfig":{"voice":1})", R"({"executableCode":{"code":"1"}})",
      R"("behavior":"BLOCKING")", R"({"googleSearch":{}})"}},
};

TEST(RequestOfTheSameApi, KeepsWhatOnlyThatApiKnows) {
    for (const SameApi& one : same_apis) {
        const auto written = cli::write_upstream_request({.from = std::string(one.api),
                                                          .to = std::string(one.provider),
                                                          .model = std::string(one.model)},
                                                         std::string(one.request));
        ASSERT_TRUE(written) << written.error().message;
        for (const std::string_view kept : one.kept)
            EXPECT_NE(written->find(kept), std::string::npos) << kept << "\n" << *written;
        EXPECT_EQ(written->find("warnings"), std::string::npos) << *written;
    }
}

// To all others it means nothing, and must not reach them.
TEST(RequestOfTheSameApi, KeepsItFromTheOthers) {
    for (const SameApi& one : same_apis) {
        for (const Target& target : targets) {
            if (target.provider == one.provider) continue;
            const auto written = cli::write_upstream_request({.from = std::string(one.api),
                                                              .to = std::string(target.provider),
                                                              .model = std::string(target.model)},
                                                             std::string(one.request));
            if (!written) continue;  // a part that it can't do without
            for (const std::string_view word : {"x_top", "x_message", "x_block", "x_tool",
                                                "x_system", "web_search_2025", "googleSearch\":{"})
                EXPECT_EQ(field(Json::parse(*written), "body").dump().find(word), std::string::npos)
                    << word << " of " << one.api << " to " << target.provider << "\n"
                    << *written;
        }
    }
}

}  // namespace
}  // namespace runnel::conformance
