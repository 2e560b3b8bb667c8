/** Reads of jobs: lists, one job, its members, decisions and GPUs. */
@NullMarked
package dev.fairlead.work.job.service.query;

import org.jspecify.annotations.NullMarked;
