/** Reads what attempts make of their GPUs, and says it. */
@NullMarked
package dev.fairlead.work.workload.service.efficiency;

import org.jspecify.annotations.NullMarked;
