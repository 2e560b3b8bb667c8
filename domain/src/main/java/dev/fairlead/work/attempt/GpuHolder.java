package dev.fairlead.work.attempt;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;

/**
 * A member that holds a GPU or a part of a GPU.
 *
 * @param gpu index of the device on its node
 * @param milli thousandths of the GPU, 1..1000
 * @param member {@code role-index}
 */
public record GpuHolder(
    NodeId node, int gpu, int milli, JobId job, String jobName, AttemptId attempt, String member) {}
