package dev.fairlead.bench.timelapse;

/**
 * The cluster over one stretch of time; amounts are means in GPUs.
 *
 * @param from seconds since the trace began
 * @param used by running jobs
 * @param fragmented idle on nodes that are in part taken
 * @param waiting asked for by jobs that wait
 * @param running jobs
 */
record Moment(long from, double used, double fragmented, double waiting, double running) {}
