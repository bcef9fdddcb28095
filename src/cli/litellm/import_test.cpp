#include "cli/litellm/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <unistd.h>

namespace runnel::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> lines(const std::vector<config::Problem>& problems) {
    std::vector<std::string> all;
    for (const config::Problem& problem : problems)
        all.push_back(std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " +
                      problem.message);
    return all;
}

ImportedConfig imported(std::string_view yaml) {
    auto made = import_litellm(yaml, "config.yaml");
    if (made) return std::move(*made);
    ADD_FAILURE() << testing::PrintToString(lines(made.error()));
    return {};
}

std::vector<std::string> problems(std::string_view yaml) {
    const auto made = import_litellm(yaml, "config.yaml");
    if (made) ADD_FAILURE() << made->yaml;
    return made ? std::vector<std::string>() : lines(made.error());
}

// Without the comments above it.
std::string config_of(std::string_view yaml) {
    const std::string text = imported(yaml).yaml;
    return text.substr(text.find("\n\n") + 2);
}

std::string block_of_docs(const std::string& label) {
    const std::string page = read_file(RUNNEL_SOURCE_DIR "/docs/migrating-from-litellm.md");
    const std::string fence = "```yaml " + label + "\n";
    const std::size_t begin = page.find(fence) + fence.size();
    return page.substr(begin, page.find("```\n", begin) - begin);
}

TEST(ImportLitellm, MakesWhatTheDocumentationShows) {
    const auto made = import_litellm(block_of_docs("litellm"), "litellm.yaml");
    ASSERT_TRUE(made) << testing::PrintToString(lines(made.error()));
    EXPECT_EQ(made->yaml, block_of_docs("runnel"));
}

TEST(ImportLitellm, MakesOneModelOfEntriesWithOneName) {
    EXPECT_EQ(
        config_of("model_list:\n"
                  "  - {model_name: m, litellm_params: {model: openai/gpt-5-mini, weight: 0.9,"
                  " api_key: os.environ/A}}\n"
                  "  - {model_name: m, litellm_params: {model: openai/gpt-5-mini, weight: 0.1,"
                  " api_key: os.environ/B}}\n"),
        "providers:\n"
        "  openai:\n"
        "    kind: openai\n"
        "    api_key: \"${A}\"\n"
        "  openai-2:\n"
        "    kind: openai\n"
        "    api_key: \"${B}\"\n"
        "models:\n"
        "  m:\n"
        "    strategy: weighted\n"
        "    targets:\n"
        "      - {target: openai/gpt-5-mini, weight: 100}\n"
        "      - {target: openai-2/gpt-5-mini, weight: 11}\n");
}

TEST(ImportLitellm, KeepsAnOrderThatIsSaid) {
    EXPECT_THAT(config_of("model_list:\n"
                          "  - {model_name: m, litellm_params: {model: gpt-5, order: 2}}\n"
                          "  - {model_name: m, litellm_params: {model: claude-x, order: 1}}\n"),
                HasSubstr("  m:\n"
                          "    targets:\n"
                          "      - anthropic/claude-x\n"
                          "      - openai/gpt-5\n"));
}

TEST(ImportLitellm, GivesPatternsToProvidersOfThatName) {
    const auto made = imported("model_list:\n"
                               "  - {model_name: mine/*, litellm_params: {model: openai/*, "
                               "api_key: os.environ/A}}\n"
                               "  - {model_name: mine/*, litellm_params: {model: openai/*, "
                               "api_key: os.environ/B}}\n"
                               "  - {model_name: gpt-*, litellm_params: {model: openai/gpt-*, "
                               "api_key: os.environ/A}}\n"
                               "  - {model_name: '*', litellm_params: {model: groq/*}}\n");
    EXPECT_THAT(made.yaml, HasSubstr("  mine:\n"
                                     "    kind: openai\n"
                                     "    keys:\n"
                                     "      - \"${A}\"\n"
                                     "      - \"${B}\"\n"
                                     "  openai:\n"));
    EXPECT_THAT(
        lines(made.notes),
        ElementsAre("5:18: model_list[3].model_name: such a pattern has no counterpart; ask "
                    "for groq/NAME, or make a model or alias for each name"));
}

TEST(ImportLitellm, NeverWritesASecret) {
    const auto made = imported("model_list:\n"
                               "  - {model_name: a, litellm_params: {model: openai/x, api_key: "
                               "sk-one}}\n"
                               "  - {model_name: b, litellm_params: {model: openai/x, api_key: "
                               "sk-two, extra_headers: {X-Team-Key: sk-three, X-Team: blue}}}\n"
                               "  - {model_name: c, litellm_params: {model: openai/x, api_key: "
                               "os.environ/OPENAI_API_KEY}}\n"
                               "  - {model_name: d, litellm_params: {model: openai/x, api_key: "
                               "sk-one}}\n"
                               "router_settings: {redis_host: h, redis_password: sk-four}\n"
                               "general_settings: {master_key: sk-five, database_url: "
                               "'postgres://u:sk-six@h/d', unknown_key: sk-seven}\n"
                               "environment_variables: {OPENAI_API_KEY: sk-eight}\n");
    EXPECT_THAT(made.yaml, Not(HasSubstr("sk-")));
    EXPECT_THAT(testing::PrintToString(lines(made.notes)), Not(HasSubstr("sk-")));
    // One variable for each secret, and none that stands for something else already.
    EXPECT_THAT(made.yaml, HasSubstr("api_key: \"${OPENAI_API_KEY_2}\""));
    EXPECT_THAT(made.yaml, HasSubstr("api_key: \"${OPENAI_API_KEY_3}\""));
    EXPECT_THAT(made.yaml, Not(HasSubstr("OPENAI_API_KEY_4")));
    EXPECT_THAT(made.yaml, HasSubstr("      X-Team-Key: \"${X_TEAM_KEY}\"\n      X-Team: blue\n"));
}

TEST(ImportLitellm, SaysWhatItLeavesOut) {
    const auto made = imported("model_list:\n"
                               "  - model_name: embed\n"
                               "    litellm_params: {model: openai/text-embedding-3-small}\n"
                               "    model_info: {mode: embedding}\n"
                               "  - model_name: m\n"
                               "    litellm_params: {model: gpt-5, tags: [x]}\n"
                               "litellm_settings: {fallbacks: [{m: [embed]}], num_retries: 9}\n"
                               "guardrails: []\n");
    EXPECT_THAT(
        lines(made.notes),
        ElementsAre("4:24: model_list[0].model_info.mode: Runnel serves chats only; this entry is "
                    "left out",
                    "6:42: model_list[1].litellm_params.tags: there is nothing like it in Runnel; "
                    "left out",
                    "7:37: litellm_settings.fallbacks[0].m[0]: no model embed was carried over; "
                    "left out",
                    "7:60: litellm_settings.num_retries: Runnel retries 5 times at most",
                    "8:1: guardrails: write them again under guardrails: docs/guardrails.md"));
    for (const config::Problem& note : made.notes)
        EXPECT_THAT(made.yaml, HasSubstr("#   " + std::to_string(note.line) + ": " + note.message));
}

TEST(ImportLitellm, TakesAKeyWithoutAValueForNone) {
    const auto made =
        imported("model_list:\n"
                 "  - model_name: m\n"
                 "    litellm_params: {model: gpt-5, rpm: , api_base: null, tags: ~}\n"
                 "    model_info:\n"
                 "  - {model_name: n, litellm_params: {model: azure/}}\n"
                 "litellm_settings: {cache: , set_verbose: , fallbacks: }\n"
                 "router_settings:\n"
                 "general_settings: {master_key: null, database_url: null}\n");
    EXPECT_THAT(lines(made.notes), ElementsAre("5:45: model_list[1].litellm_params.model: it names "
                                               "no model; this entry is left out"));
    EXPECT_THAT(made.yaml,
                testing::EndsWith("models:\n  m:\n    targets:\n      - openai/gpt-5\n"));
}

TEST(ImportLitellm, MergesWhatAnchorsName) {
    EXPECT_THAT(config_of("shared_params: &common {api_key: os.environ/A, temperature: 1}\n"
                          "model_list:\n"
                          "  - {model_name: m, litellm_params: {<<: *common, model: gpt-5, "
                          "temperature: 0.5}}\n"),
                testing::AllOf(HasSubstr("api_key: \"${A}\""), HasSubstr("{temperature: 0.5}")));
}

TEST(ImportLitellm, TakesTextForTextWhateverItLooksLike) {
    EXPECT_THAT(config_of("model_list:\n"
                          "  - {model_name: 'my model: ${X}', litellm_params: {model: "
                          "'ollama/llama3:8b', user: '${HOME} \"x\"'}}\n"),
                HasSubstr("  \"my-model:---X-\":\n"
                          "    targets:\n"
                          "      - \"ollama/llama3:8b\"\n"
                          "    defaults: {user: \"$${HOME} \\\"x\\\"\"}\n"));
}

TEST(ImportLitellm, RefusesABadFileWithItsPlace) {
    EXPECT_THAT(problems("model_list: [\n"), ElementsAre(HasSubstr("not YAML")));
    EXPECT_THAT(problems("listen: 1\n"),
                ElementsAre("1:1: this is not a config of LiteLLM's proxy: it has no model_list"));
    EXPECT_THAT(problems("model_list:\n"
                         "  - {model_name: m}\n"
                         "  - {model_name: m, litellm_params: {}}\n"
                         "  - {model_name: m, litellm_params: {model: openai/x, api_base: nowhere, "
                         "rpm: many}}\n"
                         "  - {model_name: m, model_name: n, litellm_params: {model: gpt-5}}\n"),
                ElementsAre("2:5: model_list[0]: an entry of model_list needs model_name and "
                            "litellm_params",
                            "3:18: model_list[1].model_name: litellm_params.model is missing",
                            "4:65: model_list[2].litellm_params.api_base must be a URL such as "
                            "https://api.example.com/v1, not 'nowhere'",
                            "4:79: model_list[2].litellm_params.rpm must be a number from 0 to "
                            "1000000000000, not 'many'",
                            "5:21: duplicate key 'model_name' in model_list[3]; it is already in "
                            "line 5"));
}

// Whatever is written, it is a config or a complaint: the conversion checks its own result.
TEST(ImportLitellm, NeverWritesWhatIsNoConfig) {
    const std::string whole = block_of_docs("litellm");
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        std::string text = whole;
        for (int change = 0; change < 3; ++change)
            text[random() % text.size()] = "\n :-{}[]\"'*&$ax0/"[random() % 17];
        const auto made = import_litellm(text, "config.yaml");
        if (!made)
            for (const config::Problem& problem : made.error())
                EXPECT_THAT(problem.message, Not(HasSubstr("can't be carried over"))) << text;
    }
}

class ImportLitellmFile : public testing::Test {
protected:
    ImportLitellmFile()
        : folder_(testing::TempDir() + "runnel_import_" + std::to_string(::getpid())) {
        std::filesystem::create_directory(folder_);
    }
    ~ImportLitellmFile() override { std::filesystem::remove_all(folder_); }

    std::string file(std::string_view text) {
        std::ofstream(folder_ + "/config.yaml", std::ios::binary) << text;
        return folder_ + "/config.yaml";
    }

    std::string folder_;
    std::ostringstream out_;
    std::ostringstream err_;
};

TEST_F(ImportLitellmFile, WritesTheConfigAndSaysWhatIsLeftOut) {
    const std::string from = file("model_list:\n- {model_name: m, litellm_params: {model: gpt-5}}\n"
                                  "guardrails: []\n");
    EXPECT_EQ(import_litellm({from, folder_ + "/runnel.yaml"}, out_, err_), 0);
    EXPECT_EQ(out_.str(), "");
    EXPECT_THAT(err_.str(), HasSubstr(from + ":3:1: guardrails: "));
    EXPECT_THAT(read_file(folder_ + "/runnel.yaml"), HasSubstr("- openai/gpt-5\n"));
}

TEST_F(ImportLitellmFile, LeavesWhatIsThereWhenTheFileIsBad) {
    std::ofstream(folder_ + "/runnel.yaml") << "before";
    EXPECT_EQ(import_litellm({file("model_list: 1\n"), folder_ + "/runnel.yaml"}, out_, err_), 1);
    EXPECT_THAT(err_.str(), HasSubstr("config.yaml:1:13: model_list must be a list, not '1'"));
    EXPECT_EQ(read_file(folder_ + "/runnel.yaml"), "before");
    EXPECT_EQ(import_litellm({folder_ + "/none.yaml", ""}, out_, err_), 1);
    EXPECT_THAT(err_.str(), HasSubstr("none.yaml: No such file"));
    EXPECT_EQ(import_litellm({file("model_list:\n"), folder_ + "/no/r.yaml"}, out_, err_), 1);
    EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace runnel::cli
