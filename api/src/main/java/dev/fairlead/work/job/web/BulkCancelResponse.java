package dev.fairlead.work.job.web;

/**
 * What a bulk cancel did.
 *
 * @param cancelled jobs that are cancelled or being cancelled now
 */
record BulkCancelResponse(int cancelled) {}
