# Writes TO, a source file with the files under FROM in it, which the function NAME gives
# (src/server/console/embedded_files.hpp). Where there are none, it gives none.
#
#   cmake -DFROM=console/dist -DTO=console_files.cpp -DNAME=console_files -P tools/embed_files.cmake

set(types_html "text/html; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_css "text/css; charset=utf-8")
set(types_svg "image/svg+xml")
set(types_json "application/json")

# Every byte as an escape: a literal compiles many times faster than a list of numbers.
function(read_as_literal file out)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE names RELATIVE ${FROM} ${FROM}/*)
list(FILTER names EXCLUDE REGEX "\\.gz$")
list(SORT names)
set(literals "")
set(rows "")
set(number 0)
foreach(name ${names})
  get_filename_component(suffix ${name} LAST_EXT)
  string(SUBSTRING "${suffix}" 1 -1 suffix)
  if(NOT DEFINED types_${suffix})
    message(FATAL_ERROR "tools/embed_files.cmake does not know the media type of ${name}")
  endif()
  read_as_literal(${FROM}/${name} body)
  set(gzip "")
  if(EXISTS ${FROM}/${name}.gz)
    read_as_literal(${FROM}/${name}.gz gzip)
  endif()
  file(SHA256 ${FROM}/${name} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(APPEND literals "constexpr char body_${number}[] = \"${body}\";\n")
  string(APPEND literals "constexpr char gzip_${number}[] = \"${gzip}\";\n")
  string(APPEND rows "    {\"/${name}\", \"${types_${suffix}}\", \"\\\"${hash}\\\"\", "
                     "{body_${number}, sizeof body_${number} - 1}, {gzip_${number}, sizeof gzip_${number} - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()

if(number EQUAL 0)
  set(found "    return {};\n")
else()
  set(literals "namespace {\n\n${literals}\nconstexpr EmbeddedFile files[] = {\n${rows}};\n\n}  // namespace\n\n")
  set(found "    return files;\n")
endif()
file(WRITE ${TO} "// Made by tools/embed_files.cmake.\n#include \"server/console/embedded_files.hpp\"\n\nnamespace runnel::server {\n
${literals}std::span<const EmbeddedFile> ${NAME}() {\n${found}}\n\n}  // namespace runnel::server\n")
