package dev.fairlead.work.attempt;

import dev.fairlead.kernel.identity.JobId;
import java.time.Instant;

/**
 * An ended attempt with remaining objects on its cluster, in the last stored state.
 *
 * @param told time of its last stored record
 * @param why the remaining objects, their blocker, and the next step
 */
public record BlockedCleanup(AttemptId attempt, JobId job, Instant told, String why) {}
