#include "tools/tool_thread.hpp"

namespace runnel::tools {

ToolThread::ToolThread(http::UpstreamTls* tls)
    : tasks_(loop_.get_executor()),
      client_(&loop_, &tasks_, tls),
      work_(loop_.get_executor()),
      thread_([this] { loop_.run(); }) {}

ToolThread::~ToolThread() { stop(); }

void ToolThread::stop() {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
}

}  // namespace runnel::tools
