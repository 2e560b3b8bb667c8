package dev.fairlead.work.workload.kubernetes.metrics;

/** A series of an answer. */
interface TimedSeries {
  /** Returns the time of the evaluation, in seconds since 1970. NaN without one. */
  double at();
}
