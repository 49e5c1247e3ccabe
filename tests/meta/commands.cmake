# Tests the commands, the presets and their messages as far as that takes seconds.
set(planted ${CMAKE_CURRENT_BINARY_DIR}/planted)

add_test(NAME meta/presets COMMAND ${CMAKE_COMMAND} --list-presets=all
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set(presets dev release clang asan-ubsan determinism-O0 determinism-O2 determinism-O3 cuda)
list(JOIN presets "\".*\"" in_order)
set_tests_properties(meta/presets PROPERTIES
  PASS_REGULAR_EXPRESSION "configure presets:.*\"${in_order}\".*build presets:.*\"${in_order}\".*test presets:.*\"${in_order}\"")

add_test(NAME meta/cuda_without_a_toolkit COMMAND ${CMAKE_COMMAND} -E env CUDACXX=/nonexistent
  ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${CMAKE_CURRENT_BINARY_DIR}/cuda -G Ninja
  -DNORMPROOF_CUDA=ON -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER})
set_tests_properties(meta/cuda_without_a_toolkit PROPERTIES
  PASS_REGULAR_EXPRESSION "NORMPROOF_CUDA is ON, but there is no CUDA compiler")

# After tests/run has built everything, nothing may be out of date when the tests run.
add_test(NAME meta/second_run_builds_nothing
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR})
set_tests_properties(meta/second_run_builds_nothing PROPERTIES
  PASS_REGULAR_EXPRESSION "no work to do" RESOURCE_LOCK build)

# --help must print the help after any other option. The preset does not exist, so that nothing can be
# built if --help is ignored.
foreach(options "" --whole --core --no-install "--core --no-install")
  add_test(NAME "meta/help_of_tests_run ${options}"
    COMMAND sh -c "PRESET=none '${PROJECT_SOURCE_DIR}/tests/run' ${options} --help")
  set_tests_properties("meta/help_of_tests_run ${options}" PROPERTIES
    PASS_REGULAR_EXPRESSION "Installs what is missing" FAIL_REGULAR_EXPRESSION "No such preset")
endforeach()

# verification/run must configure without the packages that only tests need, and warnings must not
# stop its build.
add_test(NAME meta/run_needs_no_test_package COMMAND ${CMAKE_COMMAND} --fresh -S ${PROJECT_SOURCE_DIR}
  -B ${CMAKE_CURRENT_BINARY_DIR}/run_alone -G Ninja -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -L
  -DNORMPROOF_TESTS=OFF -DNORMPROOF_BENCHMARKS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON
  -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON)
set_tests_properties(meta/run_needs_no_test_package PROPERTIES
  PASS_REGULAR_EXPRESSION "NORMPROOF_WERROR:BOOL=OFF" FAIL_REGULAR_EXPRESSION "CMake Error")

# verification/setup and tests/setup must change nothing and print nothing if every package is
# present.
add_test(NAME meta/setup_is_quiet_when_done COMMAND sh -c
  "command -v dpkg-query >/dev/null || { echo 'skipped: not a Debian machine'; exit 77; }; \
   said=$('${PROJECT_SOURCE_DIR}/verification/setup' && '${PROJECT_SOURCE_DIR}/tests/setup') && test -z \"$said\"")
set_tests_properties(meta/setup_is_quiet_when_done PROPERTIES SKIP_RETURN_CODE 77)

# The summary of tests/run must list skipped tests with their reasons, and fail if no test ran.
file(GENERATE OUTPUT ${planted}/skipped.xml CONTENT [[<testsuite>
<testcase name="ref/a.B" time="0" status="notrun"><skipped message=""/>
<system-out>/x/a_test.cpp:2: Skipped
no &quot;gpu&quot;
</system-out></testcase>
<testcase name="meta/c" time="0" status="notrun"><skipped message=""/>
<system-out>skipped: no tool
</system-out></testcase>
</testsuite>
]])
add_test(NAME meta/summary_of_skipped_tests COMMAND sh -c
  "! awk -f '${CMAKE_CURRENT_SOURCE_DIR}/skipped.awk' '${planted}/skipped.xml'")
set_tests_properties(meta/summary_of_skipped_tests PROPERTIES PASS_REGULAR_EXPRESSION
  "Skipped tests: 2\n  ref/a.B: no \"gpu\"\n  meta/c: no tool\nNo test ran.")

# The README's example must print what the README shows.
if(TARGET normproof)
  add_test(NAME meta/readme_example COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/readme_example
    ${PROJECT_SOURCE_DIR}/README.md $<TARGET_FILE:normproof>
    $<TARGET_FILE:normproof_verification_bindings_c> ${CMAKE_CURRENT_BINARY_DIR}/readme)
  set_tests_properties(meta/readme_example PROPERTIES SKIP_RETURN_CODE 77)
endif()
