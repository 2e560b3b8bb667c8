/** Reads of jobs and attempts from their tables. */
@NullMarked
package dev.fairlead.work.job.postgres.read;

import org.jspecify.annotations.NullMarked;
