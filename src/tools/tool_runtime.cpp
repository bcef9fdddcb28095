#include "tools/tool_runtime.hpp"

#include "tools/make_source.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace runnel::tools {

namespace {

// Those that touch nothing: a request may ask for them whatever the config says.
constexpr std::string_view always_there[] = {"now", "calculator"};

std::vector<ToolConfig> with_those_always_there(std::vector<ToolConfig> tools) {
    for (const std::string_view name : always_there)
        if (std::ranges::find(tools, name, &ToolConfig::name) == tools.end())
            tools.push_back({std::string(name), BuiltInConfig{std::string(name)}});
    return tools;
}

}  // namespace

ToolRuntime::ToolRuntime(http::UpstreamTls* tls, http::Environment environment)
    : tls_(tls),
      environment_(environment) {}

ToolRuntime::~ToolRuntime() { close(); }

Result<std::shared_ptr<const ToolBox>> ToolRuntime::open(std::vector<ToolConfig> tools,
                                                         std::vector<std::string> hidden) {
    tools = with_those_always_there(std::move(tools));
    if (box_ && tools == configs_ && hidden == hidden_) return box_;
    if (!thread_) thread_.emplace(tls_);
    std::vector<ToolBox::Entry> entries;
    for (const ToolConfig& tool : tools) {
        auto source = make_source(tool, &*thread_, environment_, hidden);
        if (!source) return propagate(source);
        entries.push_back({tool.name, std::move(*source)});
    }
    configs_ = std::move(tools);
    hidden_ = std::move(hidden);
    const auto box = std::make_shared<ToolBox>(&*thread_, std::move(entries));
    box->get_ready();
    box_ = box;
    return box_;
}

void ToolRuntime::close() {
    if (thread_) thread_->stop();
    box_.reset();
}

}  // namespace runnel::tools
