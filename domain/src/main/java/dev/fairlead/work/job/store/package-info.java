/** Stores of jobs and explanations, their filters and counts. */
@NullMarked
package dev.fairlead.work.job.store;

import org.jspecify.annotations.NullMarked;
