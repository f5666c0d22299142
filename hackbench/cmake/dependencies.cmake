# Everything comes from Debian 12; nothing is downloaded by CMake.
set(CMAKE_REQUIRED_QUIET ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
if(CMAKE_CROSSCOMPILING)
  include(source_libraries)
else()
  find_package(absl REQUIRED)
  set(Boost_USE_STATIC_LIBS ON)
  find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
  find_package(fmt REQUIRED)
  find_package(spdlog REQUIRED)
  find_package(nlohmann_json REQUIRED)
  # The archives: a run is linked statically.
  set(SQLite3_LIBRARY /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libsqlite3.a CACHE FILEPATH "")
  find_package(SQLite3 REQUIRED)
  set(ZLIB_USE_STATIC_LIBS ON)
  find_package(ZLIB REQUIRED)

  include(static_archives)
  hackbench_use_static_abseil()
endif()

if(BUILD_TESTING)
  # Built from Debian's source package, so that cross and sanitizer builds have
  # a library of their own kind.
  set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest
                   EXCLUDE_FROM_ALL SYSTEM)
  target_compile_options(gtest PRIVATE -w)
endif()
if(HACKBENCH_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()
