/**
 * Complete spec of a job: roles, placement, array, deadline and retries. {@link
 * dev.fairlead.work.spec.JobSpec} is the root. The state of the job is in {@code job}.
 */
@NullMarked
package dev.fairlead.work.spec;

import org.jspecify.annotations.NullMarked;
