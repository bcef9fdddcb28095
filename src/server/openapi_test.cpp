#include "access/scope.hpp"
#include "api/registry.hpp"
#include "base/error.hpp"
#include "server/console/embedded_files.hpp"
#include "server/endpoints.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <set>
#include <string>

namespace runnel::server {
namespace {

namespace dom = simdjson::dom;

// The document that /openapi.json gives, and what it says, in the words of the program's tables.
class ApiDescription : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(api_files().size(), 1);
        ASSERT_EQ(parser_.parse(std::string(api_files().front().body)).get(document_),
                  simdjson::SUCCESS);
    }

    std::set<std::string> words_at(std::string_view pointer) {
        std::set<std::string> words;
        for (const dom::element word : document_.at_pointer(pointer).get_array())
            words.emplace(std::string_view(word));
        return words;
    }

    dom::parser parser_;
    dom::element document_;
};

// "/v1/logs/{id}/content" as the table of endpoints writes it: "/v1/logs/*/content".
std::string with_star(std::string_view path) {
    std::string out(path);
    for (std::size_t begin = 0; (begin = out.find('{')) != std::string::npos;)
        out.replace(begin, out.find('}') - begin + 1, "*");
    return out;
}

std::string in_capitals(std::string_view method) {
    std::string out(method);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    return out;
}

// Who may ask, by the schemes of an operation.
std::string who_of(dom::element operation) {
    std::string who = "everybody";
    for (const dom::element scheme : operation["security"].get_array())
        for (const dom::key_value_pair way : scheme.get_object()) {
            if (way.key == "key") return std::string(std::string_view(way.value.at(0)));
            if (way.key == "adminToken") who = "admin";
        }
    return who;
}

TEST_F(ApiDescription, NamesEveryEndpointAndNoOther) {
    std::set<std::string> described;
    for (const dom::key_value_pair path : document_["paths"].get_object())
        for (const dom::key_value_pair member : path.value.get_object())
            if (member.key != "servers" && member.key != "parameters")
                described.insert(fmt::format("{} {} for {}", in_capitals(member.key),
                                             with_star(path.key), who_of(member.value)));
    std::set<std::string> served;
    for (const Endpoint& endpoint : endpoints())
        served.insert(
            fmt::format("{} {} for {}", endpoint.method, endpoint.path, endpoint.audience.name()));
    EXPECT_THAT(described, testing::ContainerEq(served));
}

// Everything under /v1 is under /api/v1 too, and nothing else is.
TEST_F(ApiDescription, SaysWhatElseAPathIsUnder) {
    for (const dom::key_value_pair path : document_["paths"].get_object()) {
        dom::element servers;
        const bool twice = path.value["servers"].get(servers) == simdjson::SUCCESS;
        EXPECT_EQ(twice, path.key.starts_with("/v1/")) << path.key;
    }
}

TEST_F(ApiDescription, KnowsEveryError) {
    std::set<std::string> codes;
    std::set<std::string> types;
    for (int kind = 0; kind <= static_cast<int>(ErrorKind::internal_error); ++kind) {
        const ErrorShape shape = shape_of(static_cast<ErrorKind>(kind));
        codes.emplace(shape.code);
        types.emplace(shape.type);
    }
    EXPECT_THAT(words_at("/components/schemas/ErrorCode/enum"), testing::ContainerEq(codes));
    EXPECT_THAT(words_at("/components/schemas/ErrorType/enum"), testing::ContainerEq(types));
}

TEST_F(ApiDescription, KnowsEveryScopeAndDialect) {
    std::set<std::string> scopes(access::scope_names.begin(), access::scope_names.end());
    scopes.emplace(access::every_scope);
    EXPECT_THAT(words_at("/components/schemas/Scope/enum"), testing::ContainerEq(scopes));
    std::set<std::string> dialects;
    for (const std::string_view name : api::dialect_names()) dialects.emplace(name);
    EXPECT_THAT(words_at("/components/parameters/ReplayDialect/schema/enum"),
                testing::ContainerEq(dialects));
}

TEST_F(ApiDescription, IsOfThisVersion) {
    EXPECT_EQ(std::string_view(document_["info"]["version"]), RUNNEL_VERSION);
}

}  // namespace
}  // namespace runnel::server
