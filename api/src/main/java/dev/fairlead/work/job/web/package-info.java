/**
 * Jobs over HTTP: the job spec and what it may say, and jobs, attempts, explanations and events as
 * callers see them.
 */
@NullMarked
package dev.fairlead.work.job.web;

import org.jspecify.annotations.NullMarked;
