# find_package(normproof) from an install tree: install, then configure, build and run a project that
# knows nothing but the prefix.
set(prefix ${CMAKE_CURRENT_BINARY_DIR}/install)
set(consumer ${CMAKE_CURRENT_BINARY_DIR}/consumer)
add_test(NAME meta/install
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${prefix})
set_tests_properties(meta/install PROPERTIES FIXTURES_SETUP install RESOURCE_LOCK build)
add_test(NAME meta/consumer
  COMMAND ${CMAKE_CTEST_COMMAND}
    --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumer ${consumer} --build-generator Ninja
    --build-options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}
    --test-command consumer)
set_tests_properties(meta/consumer PROPERTIES FIXTURES_REQUIRED install TIMEOUT 300)
