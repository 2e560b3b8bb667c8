/**
 * Attempts and their members: one try of a job on a cluster, the pods of it, what it holds, and how
 * it ends.
 *
 * <p>{@link dev.fairlead.attempt.AttemptLifecycle} is the table that moves an attempt; a {@link
 * dev.fairlead.attempt.Failure} says why one ended, and a {@link
 * dev.fairlead.attempt.DeathEvidence} what proves that a member did.
 */
@NullMarked
package dev.fairlead.attempt;

import org.jspecify.annotations.NullMarked;
