package dev.fairlead.work.job.web;

/**
 * Result of a bulk cancel.
 *
 * @param cancelled number of jobs that are now CANCELLED or CANCELLING
 */
record BulkCancelResponse(int cancelled) {}
