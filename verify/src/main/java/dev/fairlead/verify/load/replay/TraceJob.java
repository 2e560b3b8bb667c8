package dev.fairlead.verify.load.replay;

import java.time.Duration;
import java.time.LocalDateTime;

/**
 * A job of the trace.
 *
 * @param submitted local time of its cluster
 * @param run duration
 * @param gpus at least 1
 * @param virtualCluster its owner
 */
public record TraceJob(LocalDateTime submitted, Duration run, int gpus, String virtualCluster) {}
