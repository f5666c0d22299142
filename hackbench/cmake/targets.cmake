# How every target of the project is compiled and linked. Included before the
# dependencies, so that those built from source are compiled in the same way.
find_program(HACKBENCH_CCACHE ccache)
if(HACKBENCH_CCACHE)
  # Without these two it does not cache what uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${HACKBENCH_CCACHE})
endif()

add_library(hackbench_flags INTERFACE)
target_include_directories(hackbench_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(hackbench_flags INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wcast-align -Wformat=2 -Werror)
target_compile_definitions(hackbench_flags INTERFACE
  HACKBENCH_VERSION="${PROJECT_VERSION}"
  SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
target_link_libraries(hackbench_flags INTERFACE Threads::Threads)
if(HACKBENCH_FORCE_GENERIC)
  target_compile_definitions(hackbench_flags INTERFACE HACKBENCH_FORCE_GENERIC)
endif()
if(HACKBENCH_SANITIZE)
  add_compile_options(-fsanitize=${HACKBENCH_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HACKBENCH_SANITIZE})
else()
  add_compile_options(-fno-pie)
  add_link_options($<IF:$<BOOL:$<TARGET_PROPERTY:HACKBENCH_STATIC>>,-static,-no-pie>)
endif()

# hackbench_library(NAME SOURCES ... LINKS ...)
function(hackbench_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC hackbench_flags ${ARG_LINKS})
endfunction()

# Wholly static: a task's address space is then no larger than a C program's,
# and boards and guests need no libraries. Sanitizers need a dynamic libc.
function(hackbench_link_statically target)
  set_target_properties(${target} PROPERTIES HACKBENCH_STATIC ON)
  if(NOT HACKBENCH_SANITIZE)
    # Two file mappings instead of five: each is copied by every fork and taken
    # down by every exit of a task, under a lock of the file.
    target_link_options(${target} PRIVATE -Wl,-z,noseparate-code -Wl,-z,norelro
      -Wl,-T,${CMAKE_SOURCE_DIR}/hackbench/cmake/task_text.ld)
    set_property(TARGET ${target} APPEND PROPERTY
      LINK_DEPENDS ${CMAKE_SOURCE_DIR}/hackbench/cmake/task_text.ld)
  endif()
endfunction()

# GoogleTest's header costs a test two seconds of compile time; read it once.
# A test with -m options of its own needs DISABLE_PRECOMPILE_HEADERS ON.
function(hackbench_precompile_gtest target)
  if(NOT TARGET hackbench_test_headers)
    file(WRITE ${CMAKE_BINARY_DIR}/test_headers.cc "")
    add_library(hackbench_test_headers OBJECT ${CMAKE_BINARY_DIR}/test_headers.cc)
    target_link_libraries(hackbench_test_headers PRIVATE hackbench_core gtest)
    target_precompile_headers(hackbench_test_headers PRIVATE <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM hackbench_test_headers)
endfunction()

# hackbench_test(folder/x_test [ALONE] [SUFFIX text] [LINKS ...]
#                [DEFINITIONS ...] [ENVIRONMENT ...]):
# one executable and one ctest entry, both named by the path of the source.
# ALONE links no code of the project; SUFFIX names a second build of one source.
function(hackbench_test path)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(ARG "ALONE" "SUFFIX" "LINKS;DEFINITIONS;ENVIRONMENT"
    ${ARGN})
  set(name ${path}${ARG_SUFFIX})
  string(REPLACE "/" "_" target ${name})
  add_executable(${target} ${path}.cc)
  set(base hackbench_core)
  if(ARG_ALONE)
    set(base hackbench_flags)
  endif()
  target_link_libraries(${target} PRIVATE ${base} gtest_main ${ARG_LINKS})
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
  # A header compiled with other definitions would not be taken.
  if(NOT ARG_ALONE)
    hackbench_precompile_gtest(${target})
  endif()
  if(CMAKE_CROSSCOMPILING)
    hackbench_link_statically(${target})
  endif()
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 ENVIRONMENT
    "HACKBENCH_BINARY=$<TARGET_FILE:hackbench>;HACKBENCH_EMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR};${ARG_ENVIRONMENT}")
endfunction()

# hackbench_script_test(folder/x_test WORDS...): a script, with its words.
function(hackbench_script_test path)
  if(BUILD_TESTING AND NOT CMAKE_CROSSCOMPILING)
    add_test(NAME ${path} COMMAND ${CMAKE_SOURCE_DIR}/${path}.sh ${ARGN})
  endif()
endfunction()

# hackbench_codegen_test(folder/x): compiles x_sample.cc and lets x_test.sh read
# its disassembly. Sanitizers add calls of their own, so not under them.
function(hackbench_codegen_test path)
  if(NOT BUILD_TESTING OR HACKBENCH_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
    return()
  endif()
  string(REPLACE "/" "_" target ${path}_sample)
  add_library(${target} OBJECT ${path}_sample.cc)
  target_link_libraries(${target} PRIVATE hackbench_flags)
  add_test(NAME ${path}_test COMMAND sh ${CMAKE_SOURCE_DIR}/${path}_test.sh
    ${CMAKE_OBJDUMP} $<TARGET_OBJECTS:${target}>)
endfunction()

# hackbench_benchmark(folder/x_benchmark [SMOKE REGEX] [LINKS ...]): built always, run
# briefly by ctest under the label `benchmark` so that none rots (only what
# matches REGEX, where some are long), and in full by `make bench`.
function(hackbench_benchmark path)
  if(NOT HACKBENCH_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "SMOKE" "LINKS" ${ARGN})
  if(NOT ARG_SMOKE)
    set(ARG_SMOKE ".")
  endif()
  string(REPLACE "/" "_" target ${path})
  add_executable(${target} ${path}.cc)
  target_link_libraries(${target} PRIVATE hackbench_core benchmark::benchmark
    ${ARG_LINKS})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/benchmark)
  add_test(NAME ${path} COMMAND ${target} --benchmark_min_time=0.001
                                --benchmark_filter=${ARG_SMOKE})
  set_tests_properties(${path} PROPERTIES LABELS benchmark TIMEOUT 120
    ENVIRONMENT "HACKBENCH_BINARY=$<TARGET_FILE:hackbench>")
endfunction()

# hackbench_document(TOPIC FILE): what `hackbench help TOPIC` prints, as a file.
function(hackbench_document topic file)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${file}
    COMMAND hackbench help ${topic} > ${file}
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR} DEPENDS hackbench VERBATIM)
  add_custom_target(hackbench_document_${topic} ALL
    DEPENDS ${CMAKE_BINARY_DIR}/${file})
endfunction()
