# One translation unit per lock and preemption model for the loops of the user
# plane, so that a cell's code size can be told and no file takes minutes to
# compile. The names are read from the two lists in sync/.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/sync/lock_list.h ${CMAKE_SOURCE_DIR}/sync/coop_preempt.h)

# hackbench_type_list(VARIABLE FILE NAME): the types between the brackets of
# `using NAME = Something<...>;`.
function(hackbench_type_list variable file name)
  file(READ ${CMAKE_SOURCE_DIR}/${file} text)
  string(REGEX MATCH "using ${name} =[^<]*<([^>]*)>" match "${text}")
  if(NOT match)
    message(FATAL_ERROR "${file}: no list ${name}")
  endif()
  string(REGEX MATCHALL "[A-Za-z0-9]+" types "${CMAKE_MATCH_1}")
  set(${variable} ${types} PARENT_SCOPE)
endfunction()

hackbench_type_list(cell_locks sync/lock_list.h LockList)
hackbench_type_list(cell_preempts sync/coop_preempt.h CoopPreemptList)
set(cell_sources)
foreach(lock ${cell_locks})
  foreach(preempt ${cell_preempts})
    set(source ${CMAKE_BINARY_DIR}/user_cells/${lock}_${preempt}.cc)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Written by hackbench/cmake/user_cells.cmake.
#include \"hackbench/user_cell_unit.h\"

namespace hackbench {
template const UserCell& UserCellOf<sync::@lock@, sync::@preempt@>();
}  // namespace hackbench
")
    list(APPEND cell_sources ${source})
  endforeach()
endforeach()

add_library(hackbench_user_cells OBJECT ${cell_sources})
target_link_libraries(hackbench_user_cells PRIVATE hackbench_flags
  absl::status absl::statusor absl::synchronization)
target_precompile_headers(hackbench_user_cells PRIVATE
  ${CMAKE_SOURCE_DIR}/hackbench/user_cell_unit.h)
