package dev.fairlead.money.efficiency;

import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * A running attempt that does not use its GPUs.
 *
 * @param job name of its job
 * @param project name of its project
 * @param gpuMilli thousandths of GPUs held
 */
@RecordBuilder
public record IdleAttempt(
    Efficiency efficiency,
    String job,
    String project,
    String user,
    int element,
    int number,
    ClusterId cluster,
    long gpuMilli) {}
