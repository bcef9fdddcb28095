#pragma once

#include "tools/source.hpp"
#include "tools/tool_thread.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace runnel::tools {

// The tools of one config. Its sources live on the tool thread; any thread may ask for them here
// and waits on its own loop.
class ToolBox {
public:
    struct Entry {
        std::string name;  // under `tools:`
        std::unique_ptr<ToolSource> source;
    };
    // `thread` must outlive the box.
    ToolBox(ToolThread* thread, std::vector<Entry> entries);
    ~ToolBox();
    ToolBox(const ToolBox&) = delete;
    ToolBox& operator=(const ToolBox&) = delete;

    // A tool that a model is offered, and who runs it.
    struct Offered {
        ToolSpec spec;
        std::size_t entry;
        std::string own_name;  // the source's; the model's differs where two sources share a name
    };
    std::vector<std::string> names() const;
    struct Offer {
        std::vector<Offered> tools{};
        // Why one of them can't be asked, in words for a client that name it; its detail is for
        // whoever wrote the config.
        std::optional<Error> missing{};
    };
    // What the entries with these names offer.
    boost::asio::awaitable<Offer> offer(std::span<const std::string> names, http::Stop* stop) const;
    // Asks all sources for their tools now: what takes long to start is ready when a request needs
    // it, and of what is not there the log warns at once.
    void get_ready();
    // Runs a tool; `stop` ends it at once.
    boost::asio::awaitable<ToolOutcome> run(Offered tool, ToolCall call, http::Stop* stop) const;

private:
    ToolThread* thread_;
    std::shared_ptr<std::vector<Entry>> entries_;             // let go of on the tool thread
    std::vector<std::shared_ptr<http::Stop>> getting_ready_;  // used there, too
};

}  // namespace runnel::tools
