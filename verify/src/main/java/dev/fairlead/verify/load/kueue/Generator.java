package dev.fairlead.verify.load.kueue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The workloads of Kueue's baseline performance test ({@code
 * test/performance/scheduler/configs/baseline/generator.yaml}): each of 30 queues gets the jobs of
 * each kind one after the other, the first after one interval.
 */
final class Generator {
  static final int COHORTS = 5;
  static final int QUEUES = 6;

  /** Quota of a queue and its borrowing limit from its cohort, in units. */
  static final int NOMINAL = 20;

  static final int BORROWING = 100;

  private Generator() {}

  /** A class of workloads. */
  enum Kind {
    SMALL("small", 350, 100, 1, 200, "low"),
    MEDIUM("medium", 100, 500, 5, 500, "normal"),
    LARGE("large", 50, 1200, 20, 1000, "high");

    final String label;

    /** Number in each queue. */
    final int count;

    final Duration every;
    final int units;
    final Duration runs;
    final String priorityClass;

    Kind(String label, int count, int everyMs, int units, int runsMs, String priorityClass) {
      this.label = label;
      this.count = count;
      this.every = Duration.ofMillis(everyMs);
      this.units = units;
      this.runs = Duration.ofMillis(runsMs);
      this.priorityClass = priorityClass;
    }
  }

  /**
   * A workload.
   *
   * @param name unique, with its kind as prefix
   * @param due since the beginning
   */
  record Workload(String name, String queue, Kind kind, Duration due) {}

  static String queue(int cohort, int number) {
    return "cq-" + cohort + "-" + number;
  }

  /**
   * All workloads in the order of their submits.
   *
   * @param part part of the jobs of each kind, such as 1 or 0.1. At least one is submitted
   */
  static List<Workload> workloads(double part) {
    List<Workload> workloads = new ArrayList<>();
    for (int cohort = 0; cohort < COHORTS; cohort++) {
      for (int number = 0; number < QUEUES; number++) {
        for (Kind kind : Kind.values()) {
          add(workloads, queue(cohort, number), kind, count(kind, part));
        }
      }
    }
    workloads.sort(Comparator.comparing(Workload::due));
    return workloads;
  }

  private static void add(List<Workload> workloads, String queue, Kind kind, int count) {
    for (int i = 1; i <= count; i++) {
      String name = kind.label + "-" + queue + "-" + i;
      workloads.add(new Workload(name, queue, kind, kind.every.multipliedBy(i)));
    }
  }

  private static int count(Kind kind, double part) {
    return Math.max(1, (int) Math.round(kind.count * part));
  }

  /** Time for which the quota of all cohorts is busy if only the work itself takes time. */
  static Duration work(List<Workload> workloads) {
    long unitMillis =
        workloads.stream().mapToLong(w -> w.kind().units * w.kind().runs.toMillis()).sum();
    return Duration.ofMillis(unitMillis / units());
  }

  /** Units of all queues together. */
  static int units() {
    return COHORTS * QUEUES * NOMINAL;
  }
}
