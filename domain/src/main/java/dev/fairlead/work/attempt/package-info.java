/**
 * Attempts and their members: one try of a job on a cluster with its pods, its resources, and its
 * end.
 *
 * <p>{@link dev.fairlead.work.attempt.AttemptLifecycle} is the table that moves an attempt. A
 * {@link dev.fairlead.work.attempt.Failure} has the reason of an end, and a {@link
 * dev.fairlead.work.attempt.member.DeathEvidence} the proof that a member died.
 */
@NullMarked
package dev.fairlead.work.attempt;

import org.jspecify.annotations.NullMarked;
