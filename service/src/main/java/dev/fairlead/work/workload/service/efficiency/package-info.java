/** Reads the GPU efficiency of attempts and reports it. */
@NullMarked
package dev.fairlead.work.workload.service.efficiency;

import org.jspecify.annotations.NullMarked;
