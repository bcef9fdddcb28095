#include "agent/workshop.hpp"

#include "agent/make_source.hpp"

namespace runnel::agent {

Workshop::Workshop(http::UpstreamTls* tls, http::Environment environment)
    : tls_(tls),
      environment_(environment) {}

Workshop::~Workshop() { close(); }

Result<std::shared_ptr<const ToolBox>> Workshop::open(const std::vector<ToolConfig>& tools) {
    if (tools == configs_) return box_;
    if (!thread_) thread_.emplace(tls_);
    std::vector<ToolBox::Entry> entries;
    for (const ToolConfig& tool : tools) {
        auto source = make_source(tool, &*thread_, environment_);
        if (!source) return propagate(source);
        entries.push_back({tool.name, std::move(*source)});
    }
    configs_ = tools;
    box_ = tools.empty() ? nullptr : std::make_shared<ToolBox>(&*thread_, std::move(entries));
    return box_;
}

void Workshop::close() {
    if (thread_) thread_->stop();
    box_.reset();
}

}  // namespace runnel::agent
