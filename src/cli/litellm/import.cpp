#include "cli/litellm/import.hpp"

#include "cli/litellm/settings.hpp"
#include "config/config_file.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>

namespace runnel::cli {
namespace {

using config::Entry;
using config::Problem;
using config::Value;

const char* no_environment(const char*) { return nullptr; }

LitellmCredentials read_credentials(const std::vector<Entry>& sections) {
    LitellmCredentials credentials;
    const Value* list = find_entry(sections, "credential_list");
    if (list == nullptr) return credentials;
    for (const Value& item : list->list()) {
        const auto fields = entries_with_values(item);
        const Value* name = find_entry(fields, "credential_name");
        const Value* values = find_entry(fields, "credential_values");
        if (name == nullptr || values == nullptr)
            item.complain("a credential needs credential_name and credential_values");
        else
            credentials.push_back({name->node().text, *name, *values});
    }
    return credentials;
}

bool is_litellm_config(const std::vector<Entry>& sections) {
    constexpr std::string_view names[]{"model_list", "litellm_settings", "general_settings",
                                       "router_settings"};
    return std::ranges::any_of(names,
                               [&](auto name) { return find_entry(sections, name) != nullptr; });
}

ConfigDraft convert(LitellmReading& reading, const Value& file) {
    ConfigDraft draft;
    const auto sections = file.entries();
    if (!is_litellm_config(sections)) {
        if (file.problem_count() == 0)
            file.complain("this is not a config of LiteLLM's proxy: it has no model_list");
        return draft;
    }
    const auto credentials = read_credentials(sections);
    std::vector<LitellmDeployment> deployments;
    if (const Value* list = find_entry(sections, "model_list"))
        for (const Value& entry : list->list())
            if (auto deployment = read_litellm_deployment(reading, entry, credentials))
                deployments.push_back(std::move(*deployment));
    const LitellmRouting routing = read_litellm_routing(reading, sections);
    add_litellm_models(reading, std::move(deployments), routing, draft);
    read_litellm_settings(reading, sections, draft);
    return draft;
}

// Each once: some places are read twice.
void sort_by_place(std::vector<Problem>& problems) {
    const auto place = [](const Problem& problem) {
        return std::tuple(problem.line, problem.column, std::string_view(problem.message));
    };
    std::ranges::sort(problems, {}, place);
    problems.erase(std::ranges::unique(problems, {}, place).begin(), problems.end());
}

std::string comments(const LitellmReading& reading, std::string_view file) {
    std::string text = fmt::format("# Made from {} by runnel import litellm.\n", file);
    for (const auto& [name, sample] : reading.variables.used())
        text +=
            fmt::format("{}{}", text.ends_with('\n') ? "# It needs the variables " : ", ", name);
    if (!text.ends_with('\n')) text += ".\n";
    if (!reading.notes.empty())
        text += fmt::format("#\n# What is different or left out, by line of {}:\n", file);
    for (const Problem& note : reading.notes)
        text += fmt::format("#   {}: {}\n", note.line, note.message);
    return text + "\n";
}

// What is written must be a config, whatever its variables will be.
std::expected<void, std::vector<Problem>> check(std::string text, const Variables& variables) {
    for (const auto& [name, sample] : variables.used()) {
        const std::string reference = fmt::format("${{{}}}", name);
        for (std::size_t at = text.find(reference); at != std::string::npos;
             at = text.find(reference, at + sample.size()))
            text.replace(at, reference.size(), sample);
    }
    const auto read = config::read_config(text, no_environment);
    if (read) return {};
    return std::unexpected(read.error());
}

// All of it or nothing.
std::expected<void, std::string> write_file(const std::string& path, std::string_view text) {
    const std::string unfinished = path + ".new";
    {
        std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
        if (!(file << text << std::flush)) return std::unexpected(std::strerror(errno));
    }
    std::error_code error;
    std::filesystem::rename(unfinished, path, error);
    if (error) return std::unexpected(error.message());
    return {};
}

}  // namespace

std::expected<ImportedConfig, std::vector<Problem>> import_litellm(std::string_view yaml,
                                                                   std::string_view file) {
    auto tree = config::parse_yaml(yaml);
    if (!tree) return std::unexpected(std::vector{tree.error()});
    prepare_litellm_tree(*tree);
    config::Reading values{no_environment};
    LitellmReading reading{Variables(environment_names_in(*tree))};
    const ConfigDraft draft = convert(reading, Value(&*tree, "", &values));
    if (!values.problems.empty()) {
        sort_by_place(values.problems);
        return std::unexpected(std::move(values.problems));
    }
    sort_by_place(reading.notes);
    std::string text = comments(reading, file) + write_draft(draft);
    if (auto checked = check(text, reading.variables); !checked) {
        std::vector<Problem> problems;
        for (const Problem& problem : checked.error())
            problems.push_back({0, 0, fmt::format("can't be carried over: {}", problem.message)});
        return std::unexpected(std::move(problems));
    }
    return ImportedConfig{std::move(text), std::move(reading.notes)};
}

int import_litellm(const ImportOptions& options, std::ostream& out, std::ostream& err) {
    const auto complain = [&](const std::vector<Problem>& problems) {
        for (const Problem& problem : problems)
            fmt::print(err, "{}\n", describe(options.file, problem));
        return 1;
    };
    const auto text = config::read_config_text(options.file);
    if (!text) return complain(text.error());
    const std::string name = std::filesystem::path(options.file).filename().string();
    const auto imported = import_litellm(*text, name);
    if (!imported) return complain(imported.error());
    complain(imported->notes);
    if (options.output.empty()) {
        out << imported->yaml << std::flush;
        return out ? 0 : 1;
    }
    if (const auto written = write_file(options.output, imported->yaml); !written) {
        fmt::print(err, "runnel: {}: {}\n", options.output, written.error());
        return 1;
    }
    fmt::print(err, "runnel: {} is written; check it with: runnel check {}\n", options.output,
               options.output);
    return 0;
}

}  // namespace runnel::cli
