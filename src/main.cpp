#include "api/registry.hpp"
#include "app/serve.hpp"
#include "base/result.hpp"
#include "cli/admin_link.hpp"
#include "cli/chat/chat.hpp"
#include "cli/check.hpp"
#include "cli/completion.hpp"
#include "cli/keys_command.hpp"
#include "cli/litellm/import.hpp"
#include "cli/manual.hpp"
#include "cli/misuse.hpp"
#include "cli/replay.hpp"
#include "cli/request.hpp"
#include "cli/transcode.hpp"
#include "provider/registry.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr auto version_line = "runnel " RUNNEL_VERSION;

std::string read_stdin() {
    return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

int print(const runnel::Result<std::string>& output, std::string_view end) {
    if (!output) {
        fmt::print(stderr, "runnel: {}\n", output.error().message);
        return 1;
    }
    std::cout << *output << end << std::flush;
    return 0;
}

// The program's commands as plain data, with what their values can be.
runnel::cli::Command described(const CLI::App& app) {
    const auto words = [](auto names) {
        return std::vector<std::string>(names.begin(), names.end());
    };
    return runnel::cli::read_commands(app, {{"KIND", words(runnel::provider::kinds())},
                                            {"DIALECT", words(runnel::api::dialect_names())},
                                            {"API", words(runnel::api::api_names())}});
}

std::string completion(const std::string& shell, const runnel::cli::Command& program) {
    if (shell == "bash") return runnel::cli::bash_completion(program);
    return shell == "zsh" ? runnel::cli::zsh_completion(program)
                          : runnel::cli::fish_completion(program);
}

void add_gateway_options(CLI::App* command, std::string& url, std::string& key) {
    command
        ->add_option("--url", url,
                     "Where the gateway is; unix:DIR/admin.sock for its admin on this machine, "
                     "with its data folder")
        ->envname("RUNNEL_URL")
        ->type_name("URL");
    command->add_option("--key", key, "A key for it")->envname("RUNNEL_KEY")->type_name("KEY");
}

}  // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    CLI::App app("Runnel: one OpenAI-style endpoint in front of every language model.", "runnel");
    app.require_subcommand(1);
    app.set_help_all_flag("--help-all", "Help for every command");
    app.set_version_flag("--version", version_line, "Print the version");
    app.failure_message(&runnel::cli::misuse_message);

    runnel::app::ServeOptions serve_options;
    CLI::App* serve =
        app.add_subcommand("serve", "Serve requests (with no config: the demo models and "
                                    "every provider whose key variable is set)");
    serve->add_option("--config", serve_options.config_file, "The config file (YAML)")
        ->type_name("FILE");
    serve->add_option("--listen", serve_options.listen, "Where to listen, e.g. 127.0.0.1:8080")
        ->type_name("ADDR:PORT");
    serve->add_option("--data", serve_options.data, "Where data is kept")->type_name("DIR");
    serve->add_option("--threads", serve_options.threads, "Threads; 0 is one per core")
        ->check(CLI::Range(0, 1024))
        ->type_name("N");
    serve->add_flag("--take-over", serve_options.take_over,
                    "Share the port with a process of the same user that is about to end");

    std::string check_file;
    CLI::App* check =
        app.add_subcommand("check", "Check a config file; errors as FILE:LINE:COL: message");
    check->add_option("file", check_file, "The config file")->required()->type_name("FILE");

    runnel::cli::TranscodeOptions transcode_options;
    CLI::App* transcode = app.add_subcommand(
        "transcode",
        "Turn a provider's response on stdin into what a client gets, with no network");
    transcode->add_option("--from", transcode_options.from, "The provider's kind, e.g. anthropic")
        ->required()
        ->type_name("KIND");
    transcode->add_option("--to", transcode_options.to, "The client's dialect")
        ->type_name("DIALECT");
    transcode->add_flag("--include-usage", transcode_options.include_usage,
                        "As if the client had asked for usage");
    transcode->add_flag("--json", transcode_options.json,
                        "One JSON document, as a client gets that does not stream");
    transcode->add_option("--model", transcode_options.model, "The model's name in the output")
        ->type_name("M");
    transcode->add_option("--split", transcode_options.split, "Feed N bytes at a time")
        ->type_name("N");
    transcode
        ->add_option("--status", transcode_options.status,
                     "The response's HTTP status; other than 200 it is an error body")
        ->check(CLI::Range(100, 999))
        ->type_name("N");

    runnel::cli::RequestOptions request_options;
    CLI::App* request = app.add_subcommand(
        "request", "Turn a client's request on stdin into the provider's HTTP request, as JSON");
    request
        ->add_option("--from", request_options.from,
                     "The API that the request is written in; chat if not said")
        ->type_name("API");
    request->add_option("--to", request_options.to, "The provider's kind, e.g. gemini")
        ->required()
        ->type_name("KIND");
    request
        ->add_option("--model", request_options.model,
                     "The model, where the request has none (Gemini's have it in the path)")
        ->type_name("M");
    request->add_flag("--stream", request_options.stream,
                      "The path asks for a stream, as Gemini's can");

    runnel::cli::KeysCommand keys(&app);

    runnel::cli::AdminLinkOptions link_options;
    CLI::App* admin_link =
        app.add_subcommand("admin-link", "Print a link that opens the console of the gateway that "
                                         "runs here, once and within ten minutes");
    admin_link
        ->add_option("--config", link_options.config_file,
                     "The gateway's config, which names its data folder")
        ->type_name("FILE");
    admin_link
        ->add_option("--data", link_options.data,
                     "The gateway's data folder, in place of the config's")
        ->type_name("DIR");

    std::string shell;
    CLI::App* complete = app.add_subcommand(
        "completion", "Print a script that lets a shell complete commands and options");
    complete->add_option("shell", shell, "Whose script")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("bash|zsh|fish");
    CLI::App* man = app.add_subcommand("man", "Print the manual page, for man(1)");

    runnel::cli::ChatOptions chat_options;
    CLI::App* chat = app.add_subcommand(
        "chat", "Chat at the terminal with a model of a running gateway; where stdin is no "
                "terminal, it is one message and only the answer is printed");
    chat->add_option("model,--model", chat_options.model,
                     "The model; the first that the gateway lists if not said")
        ->type_name("MODEL");
    chat->add_option("--api", chat_options.api, "The API to talk in; chat if not said")
        ->type_name("API");
    chat->add_option("--system", chat_options.system, "What goes before the conversation")
        ->type_name("TEXT");
    add_gateway_options(chat, chat_options.url, chat_options.key);

    runnel::cli::ReplayOptions replay_options;
    CLI::App* replay = app.add_subcommand(
        "replay", "Play an answer again that a running gateway has kept, in any dialect");
    replay->add_option("id", replay_options.id, "The completion's id, or the request's")
        ->required()
        ->type_name("ID");
    replay->add_option("--dialect", replay_options.dialect, "The shape of the stream")
        ->type_name("DIALECT");
    replay->add_option("--pace", replay_options.pace, "real: as it came; none (default): at once")
        ->check(CLI::IsMember({"real", "none"}))
        ->type_name("real|none");
    add_gateway_options(replay, replay_options.url, replay_options.key);

    CLI::App* import = app.add_subcommand("import", "Make a config from another gateway's");
    import->require_subcommand(1);
    runnel::cli::ImportOptions import_options;
    CLI::App* litellm = import->add_subcommand(
        "litellm", "From a config of LiteLLM's proxy; what is different or left out is said on "
                   "stderr and in comments, and secrets become variables");
    litellm->add_option("file", import_options.file, "LiteLLM's config.yaml")
        ->required()
        ->type_name("FILE");
    litellm
        ->add_option("-o,--output", import_options.output, "Where to write it; stdout if not said")
        ->type_name("FILE");

    CLI::App* version = app.add_subcommand("version", "Print the version");

    CLI11_PARSE(app, argc, argv);

    if (*serve) return runnel::app::serve(serve_options);
    if (*check) return runnel::cli::check(check_file, std::cout, std::cerr);
    if (*transcode) return print(runnel::cli::transcode(transcode_options, read_stdin()), "");
    if (*request)
        return print(runnel::cli::write_upstream_request(request_options, read_stdin()), "\n");
    if (keys.chosen()) return keys.run(std::cout, std::cerr);
    if (*admin_link) return runnel::cli::admin_link(link_options, std::cout, std::cerr);
    if (*complete) std::cout << completion(shell, described(app));
    if (*man) std::cout << runnel::cli::manual(described(app), RUNNEL_VERSION);
    if (*chat) return runnel::cli::chat(chat_options);
    if (*replay) return runnel::cli::replay(replay_options, std::cout, std::cerr);
    if (*litellm) return runnel::cli::import_litellm(import_options, std::cout, std::cerr);
    if (*version) fmt::print("{}\n", version_line);
    return 0;
}
