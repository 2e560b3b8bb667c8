package dev.fairlead.attempt;

import dev.fairlead.identity.JobId;
import dev.fairlead.node.NodeId;

/**
 * A member that holds a GPU or a part of it.
 *
 * @param gpu index of the device on its node
 * @param milli thousandths of it, 1..1000
 * @param member {@code role-index}
 */
public record GpuHolder(
    NodeId node, int gpu, int milli, JobId job, String jobName, AttemptId attempt, String member) {}
