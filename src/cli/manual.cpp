#include "cli/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace runnel::cli {
namespace {

// What no option says. Lines that begin with a dot are roff's.
constexpr std::string_view around_the_commands = R"(.SH SIGNALS
.TP
.B SIGHUP
Read the config again. A file with a problem changes nothing; the log says why.
.TP
.B SIGTERM
Take no more requests, wait for those that are open up to the config's
.BR drain_timeout ,
and end. Another process that listens on the same port takes it over.
.TP
.B SIGINT
The same, without handing the port over.
.TP
.B SIGTERM, SIGINT again
End at once.
.SH ENVIRONMENT
.B ${NAME}
in a config stands for that variable. Without
.BR \-\-config ,
.B runnel serve
offers every provider whose usual variable is set, such as
.B OPENAI_API_KEY
or
.BR ANTHROPIC_API_KEY .
.BR HTTPS_PROXY ,
.B HTTP_PROXY
and
.B NO_PROXY
say how providers are reached, and
.B SSL_CERT_FILE
whose certificates are trusted. A service manager that wants to know when Runnel is ready says where in
.BR NOTIFY_SOCKET .
.SH FILES
.TP
.I /etc/runnel/runnel.yaml
The config of the packaged service.
.TP
.I /etc/runnel/runnel.env
Its environment: the providers' keys.
.TP
.I /var/lib/runnel
Its data: keys, logs and ledger (SQLite), and the journal of what is not in the store yet. By
.I admin.sock
in it the admin's programs reach the gateway.
.SH EXIT STATUS
0 when all went well, 1 when it did not, above 100 for a command line that makes no sense.
.SH EXAMPLES
Serve the demo models and every provider whose variable is set:
.PP
.RS
.EX
runnel serve
.EE
.RE
.PP
Make a key for the packaged service:
.PP
.RS
.EX
sudo \-u runnel runnel keys create \-\-config /etc/runnel/runnel.yaml \-\-name app
.EE
.RE
.PP
Complete commands in this shell:
.PP
.RS
.EX
source <(runnel completion bash)
.EE
.RE
)";

// Text that roff prints as it is: hyphens that can be copied, no escapes, no requests.
std::string plain(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '-' || c == '\\') escaped += '\\';
        escaped += c == '\\' ? 'e' : c;
    }
    if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
    return escaped;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", plain(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", plain(text)); }

std::string synopsis(const Command& command) {
    std::string line = bold(fmt::format("runnel {}", fmt::join(command.path, " ")));
    bool has_options = false;
    std::string arguments;
    for (const CommandOption& option : command.options) {
        has_options = has_options || !option.is_argument();
        if (option.is_argument()) arguments += " " + italic(option.value);
    }
    if (has_options) line += " [" + italic("OPTIONS") + "]";
    if (!command.commands.empty()) arguments += " " + italic("COMMAND");
    return line + arguments;
}

void write_option(const CommandOption& option, std::string& page) {
    std::string names;
    for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + bold(name);
    if (option.takes_value()) names += (names.empty() ? "" : " ") + italic(option.value);
    page += fmt::format(".TP\n{}\n{}\n", names, plain(option.help));
    if (!option.choices.empty())
        page += fmt::format("({})\n", plain(fmt::format("{}", fmt::join(option.choices, ", "))));
}

// What every command understands is said once, with the program's options.
bool is_general(const CommandOption& option, const Command& program) {
    return !option.is_argument() &&
           std::ranges::find(program.options, option.names, &CommandOption::names) !=
               program.options.end();
}

}  // namespace

std::string manual(const Command& program, std::string_view version) {
    std::string page = fmt::format(
        ".TH RUNNEL 1 \"\" \"Runnel {}\" \"User Commands\"\n"
        ".SH NAME\nrunnel \\- an LLM gateway: one OpenAI\\-style endpoint for every provider\n"
        ".SH SYNOPSIS\n.nf\n",
        version);
    const auto all = with_descendants(program);
    for (const Command* command : all)
        if (command->commands.empty()) page += synopsis(*command) + "\n";
    page += fmt::format(".fi\n.SH DESCRIPTION\n{}\n.SH OPTIONS\n"
                        "Every command has these:\n",
                        plain(program.help));
    for (const CommandOption& option : program.options) write_option(option, page);
    page += ".SH COMMANDS\n";
    for (const Command* command : all) {
        if (command == &program) continue;
        page += fmt::format(".SS {}\n{}.\n", synopsis(*command), plain(command->help));
        for (const CommandOption& option : command->options)
            if (!is_general(option, program)) write_option(option, page);
    }
    return page.append(around_the_commands);
}

}  // namespace runnel::cli
