package dev.fairlead.verify.load.queue;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.fairlead.verify.Medians;
import java.util.List;
import java.util.Locale;

/**
 * Results of one run, or the medians of several.
 *
 * @param submits kind of submits
 * @param rate complete lifecycles a second
 * @param cpuMillis CPU of the system's process for each life, without the database
 * @param commits for each life
 * @param statements executed for each life, with BEGIN and COMMIT
 * @param rows written for each life
 * @param hotPercent updates that wrote no index entry
 * @param walBytes for each life
 * @param walImages whole pages in the log for each life
 * @param diskBytes that tables and indexes grew by for each life
 * @param byTable lines that say which tables the rows of a life are written to
 */
record QueueRun(
    String system,
    Submits submits,
    double rate,
    double cpuMillis,
    double commits,
    double statements,
    double rows,
    double hotPercent,
    double walBytes,
    double walImages,
    double diskBytes,
    @JsonIgnore String byTable) {
  static final String HEADER =
      "system               submits          | lives/s  CPU ms/life  commits/life  statements/life "
          + " rows/life  HOT %  WAL B/life  pages/life  disk B/life";

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
        "%-20s %-16s | %7.0f %12.2f %13.2f %16.2f %10.1f %6.0f %11.0f %11.2f %12.0f",
        system,
        submits,
        rate,
        cpuMillis,
        commits,
        statements,
        rows,
        hotPercent,
        walBytes,
        walImages,
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
        Medians.of(runs, QueueRun::statements),
        Medians.of(runs, QueueRun::rows),
        Medians.of(runs, QueueRun::hotPercent),
        Medians.of(runs, QueueRun::walBytes),
        Medians.of(runs, QueueRun::walImages),
        Medians.of(runs, QueueRun::diskBytes),
        runs.getFirst().byTable());
  }
}
