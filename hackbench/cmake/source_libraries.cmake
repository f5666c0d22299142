# The libraries of a cross build, compiled along with it out of build/sysroot
# under the names find_package() gives them natively. Only what is linked is
# built, so a target of Abseil more in CMakeLists.txt needs no word here.
set(sysroot ${CMAKE_SOURCE_DIR}/build/sysroot)
if(NOT EXISTS ${sysroot}/complete)
  message(FATAL_ERROR "no ${sysroot}; run hackbench/tools/cross_sysroot.sh")
endif()

# Most of a compilation is headers: one per library takes a third of the time of
# one per source.
set(CMAKE_UNITY_BUILD ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)

set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -w")
set(ABSL_PROPAGATE_CXX_STD ON CACHE BOOL "" FORCE)
add_subdirectory(${sysroot}/abseil ${CMAKE_BINARY_DIR}/abseil
                 EXCLUDE_FROM_ALL SYSTEM)
# These define a name that a neighbour in the same library defines, too.
foreach(source strings/numbers.cc time/time.cc
        time/internal/cctz/src/time_zone_posix.cc)
  set_source_files_properties(${sysroot}/abseil/absl/${source}
    TARGET_DIRECTORY absl_strings absl_time absl_time_zone
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endforeach()

include_directories(SYSTEM ${sysroot}/include)
foreach(name Boost::headers fmt::fmt-header-only nlohmann_json::nlohmann_json
        spdlog::spdlog_header_only)
  add_library(${name} INTERFACE IMPORTED)
endforeach()

file(GLOB sources ${sysroot}/boost/libs/program_options/src/*.cpp)
add_library(boost_program_options STATIC EXCLUDE_FROM_ALL ${sources})
target_compile_options(boost_program_options PRIVATE -w)
add_library(Boost::program_options ALIAS boost_program_options)

# Each as one library of C; the unity build is not for them.
enable_language(C)
add_library(sqlite3 STATIC EXCLUDE_FROM_ALL ${sysroot}/sqlite3/sqlite3.c)
target_compile_definitions(sqlite3 PRIVATE SQLITE_OMIT_LOAD_EXTENSION)
target_include_directories(sqlite3 SYSTEM PUBLIC ${sysroot}/sqlite3)
add_library(SQLite::SQLite3 ALIAS sqlite3)

file(GLOB sources ${sysroot}/zlib/*.c)
add_library(zlib STATIC EXCLUDE_FROM_ALL ${sources})
target_compile_definitions(zlib PRIVATE HAVE_UNISTD_H)
target_include_directories(zlib SYSTEM PUBLIC ${sysroot}/zlib)
add_library(ZLIB::ZLIB ALIAS zlib)
set_target_properties(sqlite3 zlib PROPERTIES UNITY_BUILD OFF)
target_compile_options(sqlite3 PRIVATE -w)
target_compile_options(zlib PRIVATE -w)

unset(CMAKE_CXX_FLAGS)
unset(CMAKE_UNITY_BUILD)
