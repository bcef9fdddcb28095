#pragma once

#include <string_view>

namespace runnel::app {

// Tells the service manager that started this process how it fares ("READY=1", "STOPPING=1"), where
// it asked for that in NOTIFY_SOCKET, as systemd does. Nothing is waited for.
void tell_service_manager(std::string_view state);

}  // namespace runnel::app
