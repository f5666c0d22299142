# Builds sync/size_sample.cc once per cell of `hackbench size` and puts what
# `size` says of each object into size_cells.inc, so that the command prints what
# was really built. This machine's compiler, and Debian's arm64 one where it is
# installed.
set(HACKBENCH_SIZE_LOCKS ticket queued queued-inline)
set(HACKBENCH_SIZE_PREEMPTS none voluntary full)

# hackbench_size_cells(ARCH COMPILER FLAGS...): adds to size_lines, size_objects.
macro(hackbench_size_cells arch compiler)
  foreach(preempt RANGE 2)
    foreach(lock RANGE 2)
      list(GET HACKBENCH_SIZE_LOCKS ${lock} lock_name)
      list(GET HACKBENCH_SIZE_PREEMPTS ${preempt} preempt_name)
      set(object ${CMAKE_BINARY_DIR}/size/${arch}-${preempt_name}-${lock_name}.o)
      # The generic backend: plain builtins, as a kernel built for one CPU has
      # its instructions, without the choice between two ways at run time.
      add_custom_command(OUTPUT ${object}
        COMMAND ${compiler} ${ARGN} -std=gnu++20 -O2 -fno-pie -fno-exceptions
          -DHACKBENCH_FORCE_GENERIC -DSAMPLE_LOCK=${lock}
          -DSAMPLE_PREEMPT=${preempt} -I${CMAKE_SOURCE_DIR}
          -MD -MF ${object}.d -MT ${object}
          -c ${CMAKE_SOURCE_DIR}/sync/size_sample.cc -o ${object}
        DEPENDS ${CMAKE_SOURCE_DIR}/sync/size_sample.cc
        DEPFILE ${object}.d VERBATIM)
      list(APPEND size_objects ${object})
    endforeach()
  endforeach()
endmacro()

file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/size)
string(REGEX REPLACE "^aarch64$" "arm64" size_native "${CMAKE_SYSTEM_PROCESSOR}")
set(size_objects)
if(CMAKE_CROSSCOMPILING)
  hackbench_size_cells(${size_native} ${CMAKE_CXX_COMPILER}
    -idirafter /usr/include)
else()
  hackbench_size_cells(${size_native} ${CMAKE_CXX_COMPILER})
endif()
find_program(HACKBENCH_ARM64_COMPILER aarch64-linux-gnu-g++)
if(HACKBENCH_ARM64_COMPILER AND NOT size_native STREQUAL "arm64")
  # After the target's own headers: only what is not there, the libraries'.
  hackbench_size_cells(arm64 ${HACKBENCH_ARM64_COMPILER}
    -mno-outline-atomics -idirafter /usr/include)
endif()
set(size_cells ${CMAKE_BINARY_DIR}/size/size_cells.inc)
add_custom_command(OUTPUT ${size_cells}
  COMMAND ${CMAKE_SOURCE_DIR}/hackbench/tools/size_cells.sh ${size_cells}
    ${size_objects}
  DEPENDS ${size_objects} ${CMAKE_SOURCE_DIR}/hackbench/tools/size_cells.sh
  VERBATIM)
set_source_files_properties(hackbench/size_command.cc PROPERTIES
  OBJECT_DEPENDS ${size_cells}
  COMPILE_DEFINITIONS HACKBENCH_SIZE_CELLS="${size_cells}")
