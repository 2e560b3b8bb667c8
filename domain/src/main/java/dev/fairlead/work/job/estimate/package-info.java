/** Estimates of runtimes, waits and starts, learned from ended jobs. */
@NullMarked
package dev.fairlead.work.job.estimate;

import org.jspecify.annotations.NullMarked;
