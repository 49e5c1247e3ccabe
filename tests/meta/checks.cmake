# The checks of tests/meta/checks as tests; each is also run on injected faults that it must find.
set(checks citations clauses comments document_paths formulas layering operation_names recipes registration
  words)
foreach(name ${checks})
  set(links)
  if(name STREQUAL "layering")
    set(links --links ${PROJECT_BINARY_DIR}/link_graph.txt)
  endif()
  add_test(NAME meta/${name}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check ${name} ${PROJECT_SOURCE_DIR} ${links})
endforeach()
foreach(name ${checks} command)
  add_test(NAME meta/${name}_can_fail COMMAND python3 -B -m unittest checks.${name}_test
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(meta/${name}_can_fail PROPERTIES FAIL_REGULAR_EXPRESSION "Ran 0 tests")
endforeach()
