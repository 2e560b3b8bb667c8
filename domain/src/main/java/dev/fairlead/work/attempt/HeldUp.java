package dev.fairlead.work.attempt;

import dev.fairlead.kernel.identity.JobId;
import java.time.Instant;

/**
 * An ended attempt of which something stays on its cluster, as that was stored last.
 *
 * @param told when it was stored last
 * @param why what stays, what keeps it, and the next step
 */
public record HeldUp(AttemptId attempt, JobId job, Instant told, String why) {}
