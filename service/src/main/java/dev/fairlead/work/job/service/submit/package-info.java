/** Submits: checks of a new job, names that it refers to, and writes of single jobs and batches. */
@NullMarked
package dev.fairlead.work.job.service.submit;

import org.jspecify.annotations.NullMarked;
