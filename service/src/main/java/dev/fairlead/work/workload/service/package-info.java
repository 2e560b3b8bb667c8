/**
 * Supervision: one supervisor per cluster carries attempts to their cluster and their lives back.
 * Loops, use cases and beans lie here; {@code contact} holds what a supervisor knows of its
 * cluster, {@code attempt} the attempts under its fence, {@code pass} what one pass does with them.
 */
@NullMarked
package dev.fairlead.work.workload.service;

import org.jspecify.annotations.NullMarked;
