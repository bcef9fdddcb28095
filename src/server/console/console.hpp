#pragma once

#include "http/server/request_reader.hpp"
#include "server/console/embedded_files.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace runnel::server {

// Whether a browser wants a page, and not a program the API.
bool wants_page(const http::Request& request);

enum class SignedIn { no, yes };

// What the console answers this GET with; the header fields are added to `headers`. Its pages are
// one file, which finds out by itself where it is: whoever is not signed in gets it too, with 401,
// and it asks for the token. None: the console has nothing at that path.
std::optional<FileAnswer> answer_console(const http::Request& request, SignedIn signed_in,
                                         std::span<const EmbeddedFile> files,
                                         http::HeaderList* headers);

}  // namespace runnel::server
