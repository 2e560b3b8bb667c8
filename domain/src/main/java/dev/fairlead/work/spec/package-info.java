/**
 * What a job asks for, complete: roles, placement, array, deadline and retries. {@link
 * dev.fairlead.work.spec.JobSpec} holds it all; what becomes of the job stands in {@code job}.
 */
@NullMarked
package dev.fairlead.work.spec;

import org.jspecify.annotations.NullMarked;
