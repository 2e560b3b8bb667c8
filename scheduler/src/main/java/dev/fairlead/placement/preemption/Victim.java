package dev.fairlead.placement.preemption;

import dev.fairlead.attempt.EvictionRight;

/** A job to evict, and by which right. */
public record Victim(RunningJob job, EvictionRight right) {}
