package dev.fairlead.bench.replay;

import java.time.Duration;
import java.time.LocalDateTime;

/**
 * A job as the trace has it.
 *
 * @param submitted local time of its cluster
 * @param run how long it ran
 * @param gpus at least 1
 * @param virtualCluster who it belonged to
 */
public record TraceJob(LocalDateTime submitted, Duration run, int gpus, String virtualCluster) {}
