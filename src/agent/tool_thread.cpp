#include "agent/tool_thread.hpp"

namespace runnel::agent {

ToolThread::ToolThread(http::UpstreamTls* tls)
    : tasks_(loop_.get_executor()),
      pool_(&loop_, &tasks_, tls),
      work_(loop_.get_executor()),
      thread_([this] { loop_.run(); }) {}

ToolThread::~ToolThread() { loop_.stop(); }

}  // namespace runnel::agent
