#pragma once

#include <string>
#include <string_view>

namespace runnel::tools {

// Appends `html` with its character references (&amp; &#228; &#xE4;) resolved; what is none stays
// as it is.
void append_decoded(std::string& out, std::string_view html);

// The bytes of windows-1252, which is what the web means by text that is not UTF-8.
std::string windows_1252_to_utf8(std::string_view bytes);

}  // namespace runnel::tools
