package dev.fairlead.work.job.store;

/**
 * A place in a queue, by priority, then submit time, then id.
 *
 * @param rank 1 for the head
 * @param total jobs waiting in the queue
 * @param gpuMilliAhead thousandths of GPUs requested by the jobs ahead
 */
public record QueuePlace(int rank, int total, long gpuMilliAhead) {}
