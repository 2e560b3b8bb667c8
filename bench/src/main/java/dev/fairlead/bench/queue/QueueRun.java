package dev.fairlead.bench.queue;

import dev.fairlead.bench.Medians;
import java.util.List;
import java.util.Locale;

/**
 * Results of one run, or the medians of several.
 *
 * @param submits kind of submits
 * @param rate whole lives a second
 * @param cpuMillis CPU of the system's process for each job, without the database
 * @param commits for each job
 * @param rows written for each job
 * @param walBytes for each job
 * @param diskBytes growth of tables and indexes for each job
 * @param byTable lines with the tables of a job's rows
 */
record QueueRun(
    String system,
    Submits submits,
    double rate,
    double cpuMillis,
    double commits,
    double rows,
    double walBytes,
    double diskBytes,
    String byTable) {
  static final String HEADER =
      "system               submits          | lives/s  CPU ms/life  commits/life  rows/life  WAL"
          + " B/life  disk B/life";

  /** Kinds of submits. */
  enum Submits {
    /** Each submit is a separate commit. */
    DURABLE_PER_JOB,
    /** 500 jobs in a request. */
    BATCHED
  }

  String row() {
    return String.format(
        Locale.ROOT,
        "%-20s %-16s | %7.0f %12.2f %13.2f %10.1f %11.0f %12.0f",
        system,
        submits,
        rate,
        cpuMillis,
        commits,
        rows,
        walBytes,
        diskBytes);
  }

  String json() {
    return String.format(
        Locale.ROOT,
        "{\"bench\":\"queue\",\"system\":\"%s\",\"submits\":\"%s\",\"livesPerSecond\":%.1f,"
            + "\"cpuMillis\":%.3f,\"commits\":%.3f,\"rows\":%.2f,\"walBytes\":%.0f,\"diskBytes\":%.0f}",
        system,
        submits,
        rate,
        cpuMillis,
        commits,
        rows,
        walBytes,
        diskBytes);
  }

  /** Each figure's median over the runs of one system. */
  static QueueRun median(List<QueueRun> runs) {
    return new QueueRun(
        runs.getFirst().system(),
        runs.getFirst().submits(),
        Medians.of(runs, QueueRun::rate),
        Medians.of(runs, QueueRun::cpuMillis),
        Medians.of(runs, QueueRun::commits),
        Medians.of(runs, QueueRun::rows),
        Medians.of(runs, QueueRun::walBytes),
        Medians.of(runs, QueueRun::diskBytes),
        runs.getFirst().byTable());
  }
}
