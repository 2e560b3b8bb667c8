/** Stored attempts, read and written under the fence of a supervisor. */
@NullMarked
package dev.fairlead.work.workload.service.attempt;

import org.jspecify.annotations.NullMarked;
