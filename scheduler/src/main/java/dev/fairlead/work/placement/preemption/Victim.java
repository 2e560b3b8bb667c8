package dev.fairlead.work.placement.preemption;

import dev.fairlead.work.attempt.EvictionRight;

/** A job to evict, with the right by which it is evicted. */
public record Victim(RunningJob job, EvictionRight right) {}
