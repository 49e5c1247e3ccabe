# A header that has a source of its name is proved to stand alone by that source, which includes it
# first (layering_test.cpp), if nothing precompiled comes before it: the source is LIGHT, or the header
# includes the precompiled packages itself, with ref/tensor/tensor.hpp. For every other header a source
# is written here that holds nothing but the header, twice.
get_property(headers GLOBAL PROPERTY NORMPROOF_HEADERS)
get_property(light_headers GLOBAL PROPERTY NORMPROOF_LIGHT_HEADERS)
get_property(libraries GLOBAL PROPERTY NORMPROOF_LIBRARIES)

# The headers from which an include leads to one of `found`, found by going up a level at a time.
function(normproof_headers_that_reach target result)
  set(found ${target})
  set(level ${target})
  while(level)
    set(next)
    foreach(header ${headers})
      if(NOT header IN_LIST found)
        foreach(included ${level})
          cmake_path(RELATIVE_PATH included BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
          file(STRINGS ${header} lines REGEX "^#include \"${included}\"")
          if(lines)
            list(APPEND next ${header})
            break()
          endif()
        endforeach()
      endif()
    endforeach()
    list(APPEND found ${next})
    set(level ${next})
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
normproof_headers_that_reach(${PROJECT_SOURCE_DIR}/ref/tensor/tensor.hpp proved_by_their_source)
list(APPEND proved_by_their_source ${light_headers})

function(normproof_headers_alone target directory)
  set(sources)
  foreach(header ${ARGN})
    string(REGEX REPLACE "\\.hpp$" ".cpp" own_source ${header})
    if(NOT EXISTS ${own_source} OR NOT header IN_LIST proved_by_their_source)
      cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${directory})
      set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}/${header}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"@header@\"\n#include \"@header@\"\n" @ONLY)
      list(APPEND sources ${source})
    endif()
  endforeach()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${target} PRIVATE ${directory})
  target_link_libraries(${target} PRIVATE ${libraries} normproof_warnings)
  target_compile_options(${target} PRIVATE -O0)
  add_test(NAME meta/${target}
    COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ${target} -- -k 0)
  set_tests_properties(meta/${target} PROPERTIES RESOURCE_LOCK build PROCESSORS 2 TIMEOUT 1800)
endfunction()

normproof_headers_alone(headers_alone ${PROJECT_SOURCE_DIR} ${headers})

# The check can fail: a header that forgets an include.
set(planted ${CMAKE_CURRENT_BINARY_DIR}/planted/forgets_an_include.hpp)
file(GENERATE OUTPUT ${planted} CONTENT "#pragma once\ninline std::vector<int> f() { return {}; }\n")
normproof_headers_alone(headers_alone_can_fail ${CMAKE_CURRENT_BINARY_DIR}/planted ${planted})
set_tests_properties(meta/headers_alone_can_fail PROPERTIES
  PASS_REGULAR_EXPRESSION "forgets_an_include.hpp:2.*error")
