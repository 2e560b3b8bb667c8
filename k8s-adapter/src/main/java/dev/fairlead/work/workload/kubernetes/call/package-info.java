/** Calls to an API server: their limits, their results, and advice for failures. */
@NullMarked
package dev.fairlead.work.workload.kubernetes.call;

import org.jspecify.annotations.NullMarked;
