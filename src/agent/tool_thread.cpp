#include "agent/tool_thread.hpp"

namespace runnel::agent {

ToolThread::ToolThread(http::UpstreamTls* tls)
    : tasks_(loop_.get_executor()),
      pool_(&loop_, &tasks_, tls),
      work_(loop_.get_executor()),
      thread_([this] { loop_.run(); }) {}

ToolThread::~ToolThread() { stop(); }

void ToolThread::stop() {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
}

}  // namespace runnel::agent
