# Tests find_package(normproof) from an install tree: installs, then configures, builds and runs a
# project that only gets the prefix and the flags. The flags are needed because a sanitizer must be
# in both.
set(prefix ${CMAKE_CURRENT_BINARY_DIR}/install)
set(consumer ${CMAKE_CURRENT_BINARY_DIR}/consumer)
add_test(NAME meta/install
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
set_tests_properties(meta/install PROPERTIES FIXTURES_SETUP install RESOURCE_LOCK build)
string(TOUPPER "CMAKE_CXX_FLAGS_${CMAKE_BUILD_TYPE}" flags_of_build_type)
add_test(NAME meta/consumer
  COMMAND ${CMAKE_CTEST_COMMAND}
    --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer ${consumer} --build-generator Ninja
    --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
      -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
      "-D${flags_of_build_type}=${${flags_of_build_type}}"
    --test-command consumer)
set_tests_properties(meta/consumer PROPERTIES FIXTURES_REQUIRED install TIMEOUT 300)
