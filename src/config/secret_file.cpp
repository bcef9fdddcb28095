#include "config/secret_file.hpp"

#include "base/owned_descriptor.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace runnel::config {
namespace {

constexpr std::size_t secret_bytes_max = 64 * 1024;

std::string why_not(const std::string& path, int error) {
    if (error == ENOENT || error == ENOTDIR)
        return fmt::format("there is no file '{}'; write the secret into it, and nothing else",
                           path);
    if (error == EACCES)
        return fmt::format("the file '{}' can't be read: let the user that the gateway runs as "
                           "read it",
                           path);
    return fmt::format("the file '{}' can't be read: {}", path, std::strerror(error));
}

void cut_line_break(std::string& text) {
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
}

}  // namespace

std::expected<std::string, std::string> read_secret_file(const std::string& path) {
    // Without waiting: a pipe that nobody writes to would hold up the start.
    const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    struct stat facts{};
    if (!file.is_open() || ::fstat(file.get(), &facts) != 0)
        return std::unexpected(why_not(path, errno));
    if (!S_ISREG(facts.st_mode))
        return std::unexpected(fmt::format("'{}' is not a regular file", path));
    std::string text(secret_bytes_max + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t count = ::read(file.get(), text.data() + size, text.size() - size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::unexpected(why_not(path, errno));
        if (count == 0) break;
        size += static_cast<std::size_t>(count);
    }
    if (size > secret_bytes_max)
        return std::unexpected(fmt::format("the file '{}' has more than {} bytes: it is not one "
                                           "secret",
                                           path, secret_bytes_max));
    text.resize(size);
    cut_line_break(text);
    if (text.empty()) return std::unexpected(fmt::format("the file '{}' is empty", path));
    return text;
}

}  // namespace runnel::config
