package dev.fairlead.verify.engine.timelapse;

/**
 * The cluster in one interval. Amounts are means in GPUs.
 *
 * @param from seconds since the trace began
 * @param used by running jobs
 * @param fragmented idle on partly used nodes
 * @param waiting requested by waiting jobs
 * @param running jobs
 */
record Interval(long from, double used, double fragmented, double waiting, double running) {}
