# Writes TO, the description of the API that the gateway serves: FROM/openapi.json, with the members of all objects in
# FROM/paths/*.json where it says "@paths@", and so on for its other folders.
#
#   cmake -DFROM=api -DTO=openapi.json -DVERSION=1.2.3 -P tools/join_openapi.cmake

function(read_object file out)
  file(READ ${file} text)
  string(JSON type ERROR_VARIABLE problem TYPE "${text}")
  if(NOT type STREQUAL "OBJECT")
    message(FATAL_ERROR "${file} is not a JSON object: ${problem}")
  endif()
  string(STRIP "${text}" text)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(read_members folder out)
  file(GLOB files ${folder}/*.json)
  list(SORT files)
  set(members "")
  foreach(file ${files})
    read_object(${file} text)
    string(LENGTH "${text}" length)
    math(EXPR length "${length} - 2") # without its braces
    string(SUBSTRING "${text}" 1 ${length} text)
    string(STRIP "${text}" text)
    if(members)
      string(APPEND members ",\n")
    endif()
    string(APPEND members "${text}")
  endforeach()
  set(${out} "${members}" PARENT_SCOPE)
endfunction()

read_object(${FROM}/openapi.json document)
string(REPLACE "@version@" "${VERSION}" document "${document}")
file(GLOB folders LIST_DIRECTORIES true RELATIVE ${FROM} ${FROM}/*)
foreach(folder ${folders})
  if(IS_DIRECTORY ${FROM}/${folder})
    read_members(${FROM}/${folder} members)
    string(REPLACE "\"@${folder}@\"" "{\n${members}\n}" document "${document}")
  endif()
endforeach()
file(WRITE ${TO} "${document}\n")
