# Runs clang-format, clang-tidy and the checks of doc comments and report writers as tests. Each is
# also run on an injected fault that it must find.
set(planted ${CMAKE_CURRENT_BINARY_DIR}/planted)

add_test(NAME meta/format COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/format_check ${PROJECT_SOURCE_DIR})
configure_file(${PROJECT_SOURCE_DIR}/.clang-format ${planted}/format/.clang-format COPYONLY)
file(GENERATE OUTPUT ${planted}/format/ref/crooked.cpp CONTENT "int   crooked ;\n")
add_test(NAME meta/format_can_fail
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/format_check ${planted}/format)
set_tests_properties(meta/format meta/format_can_fail PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(meta/format_can_fail PROPERTIES
  PASS_REGULAR_EXPRESSION "crooked.cpp: not formatted" SKIP_REGULAR_EXPRESSION "skipped: ")

add_test(NAME meta/comments
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/comment_check ${PROJECT_SOURCE_DIR})
string(REPEAT "long " 24 long)
set(faults
  "/// Throws    ContractError where a name is absent, and then nothing\n/// is\n///           changed\n"
  "/// Checks the claims. Throws    UsageError\n" "/// Returns   the norms before Throws\n"
  "/// ${long}\n")
set(expected "left of its text" "inside the line" "inside the line" "more than 100 columns")
foreach(k RANGE 3)
  list(GET faults ${k} fault)
  list(GET expected ${k} observation)
  file(GENERATE OUTPUT ${planted}/comments_${k}/ref/torn.hpp CONTENT "${fault}")
  add_test(NAME meta/comments_can_fail_${k}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/comment_check ${planted}/comments_${k})
  set_tests_properties(meta/comments_can_fail_${k} PROPERTIES
    PASS_REGULAR_EXPRESSION "torn.hpp:[0-9]+: .*${observation}")
endforeach()

add_test(NAME meta/reports
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/report_check ${PROJECT_SOURCE_DIR})
set(faults "\"<td class='number'>\"\n" "append_child(\"testcase\")\n")
foreach(k RANGE 1)
  list(GET faults ${k} fault)
  file(GENERATE OUTPUT ${planted}/reports_${k}/verification/cli/by_hand.cpp CONTENT "${fault}")
  add_test(NAME meta/reports_can_fail_${k}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/report_check ${planted}/reports_${k})
  set_tests_properties(meta/reports_can_fail_${k} PROPERTIES
    PASS_REGULAR_EXPRESSION "by_hand.cpp:1:")
endforeach()

find_program(NORMPROOF_CLANG_TIDY_PROGRAM NAMES clang-tidy-14 clang-tidy)
mark_as_advanced(NORMPROOF_CLANG_TIDY_PROGRAM)
# Other versions have different checks under the same names.
set(tidy_version "")
if(NORMPROOF_CLANG_TIDY_PROGRAM)
  execute_process(COMMAND ${NORMPROOF_CLANG_TIDY_PROGRAM} --version OUTPUT_VARIABLE tidy_version)
endif()

# Collects the headers of a target and of everything it links.
function(normproof_headers_below target result)
  get_target_property(headers ${target} HEADER_SET)
  get_target_property(links ${target} LINK_LIBRARIES)
  foreach(link ${links})
    if(TARGET ${link} AND link MATCHES "^normproof(_|::)(ref|verification|gpu)")
      normproof_headers_below(${link} more)
      list(APPEND headers ${more})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(FILTER headers INCLUDE REGEX "\\.hpp$")
  set(${result} ${headers} PARENT_SCOPE)
endfunction()

# normproof_tidy(<custom target> <name> <root> TARGETS <target>... SOURCES <source>...) checks the
# sources with the include folders and definitions of the targets. A stamp per name makes a second
# run skip them.
function(normproof_tidy custom_target name root)
  cmake_parse_arguments(ARG "" "" "TARGETS;SOURCES" ${ARGN})
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${custom_target}/${name}.stamp)
  set(sources ${ARG_SOURCES})
  set(headers)
  set(include_directories)
  set(definitions)
  foreach(target ${ARG_TARGETS})
    normproof_headers_below(${target} more)
    list(APPEND headers ${more})
    list(APPEND include_directories $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    # Sources that are compiled for a few scalars at a time are checked for all scalars at once.
    list(APPEND definitions
      "$<FILTER:$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>,EXCLUDE,^NORMPROOF_SCALARS_>")
  endforeach()
  list(REMOVE_DUPLICATES headers)
  set(include_directories $<REMOVE_DUPLICATES:${include_directories}>)
  set(definitions $<REMOVE_DUPLICATES:${definitions}>)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tidy_check ${NORMPROOF_CLANG_TIDY_PROGRAM} ${root} ${name}
      ${CMAKE_CURRENT_BINARY_DIR}/${custom_target} ${sources} -- -std=c++20 -Wno-everything
      -ffp-contract=off "$<$<BOOL:${include_directories}>:-I$<JOIN:${include_directories},;-I>>"
      "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${sources} ${headers} ${PROJECT_SOURCE_DIR}/.clang-tidy
      ${CMAKE_CURRENT_SOURCE_DIR}/tidy_check
    COMMENT "clang-tidy ${name}" COMMAND_EXPAND_LISTS VERBATIM)
  set_property(GLOBAL APPEND PROPERTY NORMPROOF_STAMPS_OF_${custom_target} ${stamp})
endfunction()

function(normproof_tidy_test custom_target)
  get_property(stamps GLOBAL PROPERTY NORMPROOF_STAMPS_OF_${custom_target})
  add_custom_target(${custom_target} DEPENDS ${stamps})
  add_test(NAME meta/${custom_target}
    COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ${custom_target} -- -k 0)
  set_tests_properties(meta/${custom_target} PROPERTIES
    RESOURCE_LOCK build PROCESSORS 2 TIMEOUT 1800)
endfunction()

if(tidy_version MATCHES "version 14[.]")
  normproof_targets_below(${PROJECT_SOURCE_DIR}/ref targets)
  normproof_targets_below(${PROJECT_SOURCE_DIR}/gpu gpu_targets)
  normproof_targets_below(${PROJECT_SOURCE_DIR}/verification more_targets)
  # Most of the time is spent in the packages' headers, so many targets are checked as one: those of
  # ref, those of gpu, those of verification, and verification/cli, which is half of that. Kernels
  # are checked separately, since each has its own instruction set, and so are further programs,
  # since each has its own main.
  set(seen)
  set(groups)
  foreach(target ${targets} ${gpu_targets} ${more_targets})
    get_target_property(directory ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    list(TRANSFORM sources PREPEND ${directory}/ REGEX "^[^/$]")
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(REMOVE_ITEM sources ${seen})
    list(APPEND seen ${sources})
    cmake_path(RELATIVE_PATH directory BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE group)
    if(target MATCHES "_(baseline|avx2|avx512)$")
      set(group ${target})
    else()
      string(REGEX REPLACE "^(verification/cli|[^/]+).*" "\\1" group ${group})
    endif()
    string(REPLACE "/" "_" group ${group})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      if(DEFINED main_of_${group})
        set(group ${target})
      endif()
      set(main_of_${group} ${target})
    endif()
    if(sources)
      list(APPEND groups ${group})
      list(APPEND targets_of_${group} ${target})
      list(APPEND sources_of_${group} ${sources})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group ${groups})
    normproof_tidy(tidy ${group} ${PROJECT_SOURCE_DIR}
      TARGETS ${targets_of_${group}} SOURCES ${sources_of_${group}})
  endforeach()
  normproof_tidy_test(tidy)
  normproof_long_checks(meta/tidy)

  string(CONCAT use_after_move
    "#include <string>\n#include <utility>\nstd::size_t moved(std::string s) {\n"
    "  std::string t = std::move(s);\n  return s.size() + t.size();\n}\n")
  file(GENERATE OUTPUT ${planted}/tidy/ref/moved.cpp CONTENT "${use_after_move}")
  foreach(source first second)
    file(GENERATE OUTPUT ${planted}/tidy/ref/${source}.cpp
      CONTENT "static int helper() { return 1; }\nint ${source}() { return helper(); }\n")
  endforeach()
  normproof_tidy(tidy_can_fail planted ${planted}/tidy TARGETS normproof_flags
    SOURCES ${planted}/tidy/ref/moved.cpp)
  normproof_tidy(tidy_names_can_fail planted ${planted}/tidy TARGETS normproof_flags
    SOURCES ${planted}/tidy/ref/first.cpp ${planted}/tidy/ref/second.cpp)
  normproof_tidy_test(tidy_can_fail)
  normproof_tidy_test(tidy_names_can_fail)
  set_tests_properties(meta/tidy_can_fail PROPERTIES
    PASS_REGULAR_EXPRESSION "moved.cpp:5:[0-9]+: error.*bugprone-use-after-move")
  set_tests_properties(meta/tidy_names_can_fail PROPERTIES
    PASS_REGULAR_EXPRESSION "second.cpp:1:[0-9]+: error: redefinition of 'helper'")
else()
  add_test(NAME meta/tidy COMMAND sh -c "echo 'skipped: there is no clang-tidy 14'; exit 77")
  set_tests_properties(meta/tidy PROPERTIES SKIP_RETURN_CODE 77)
endif()
