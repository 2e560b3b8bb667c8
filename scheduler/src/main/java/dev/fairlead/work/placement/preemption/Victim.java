package dev.fairlead.work.placement.preemption;

import dev.fairlead.work.attempt.EvictionRight;

/** A job to evict, and by which right. */
public record Victim(RunningJob job, EvictionRight right) {}
