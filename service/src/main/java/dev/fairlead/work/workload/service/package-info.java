/**
 * Supervision: one supervisor per cluster applies attempts to their cluster and stores their
 * observed state. This package has the loops, use cases and beans. {@code contact} has a
 * supervisor's view of its cluster, {@code attempt} the attempts under its fence, {@code pass} the
 * work of one pass.
 */
@NullMarked
package dev.fairlead.work.workload.service;

import org.jspecify.annotations.NullMarked;
