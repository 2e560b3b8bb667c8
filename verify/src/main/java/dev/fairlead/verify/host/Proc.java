package dev.fairlead.verify.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads {@code /proc} of Linux (proc(5)). A process that has ended has no data. */
final class Proc {
  /** {@code USER_HZ}, 100 on every architecture with a JVM. */
  private static final double TICK_MILLIS = 10;

  private static final int NAME_START = 7;

  /** The thread that advances simulated clusters. */
  static final String SIMULATED = "simulated";

  /** Requests and the steps of supervisors share the carriers of virtual threads. */
  private static final String VIRTUAL = "requests and steps";

  /** Prefixes of thread names as the kernel stores them: the first 7 of 15 letters count. */
  private static final Map<String, String> GROUPS =
      Map.ofEntries(
          Map.entry("loop-sc", "scheduler"),
          Map.entry("loop-su", "supervisors"),
          Map.entry("fairlea", SIMULATED),
          Map.entry("ForkJoi", VIRTUAL),
          Map.entry("http-ni", VIRTUAL),
          Map.entry("C1 Comp", "compiler"),
          Map.entry("C2 Comp", "compiler"),
          Map.entry("GC Thre", "collector"),
          Map.entry("G1 Conc", "collector"),
          Map.entry("G1 Main", "collector"),
          Map.entry("G1 Refi", "collector"),
          Map.entry("G1 Serv", "collector"),
          Map.entry("VM Thre", "collector"));

  private Proc() {}

  /** CPU time of a process or thread, and of its finished children. */
  record Cpu(double ownMillis, double childrenMillis) {}

  /**
   * @param stat the line of a {@code stat} file, with a name that may contain spaces and
   *     parentheses
   */
  static Cpu cpu(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return new Cpu(ticks(fields, 11) + ticks(fields, 12), ticks(fields, 13) + ticks(fields, 14));
  }

  private static double ticks(String[] fields, int index) {
    return Long.parseLong(fields[index].strip()) * TICK_MILLIS;
  }

  static String threadName(String stat) {
    return stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  }

  static String group(String thread) {
    String start = thread.substring(0, Math.min(NAME_START, thread.length()));
    return GROUPS.getOrDefault(start, start.startsWith("loop-") ? "other loops" : "other");
  }

  /** The proportional set size of a {@code smaps_rollup}, in KiB. */
  static long pssKib(List<String> rollup) {
    for (String line : rollup) {
      if (line.startsWith("Pss:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IllegalStateException("smaps_rollup names no Pss: " + rollup);
  }

  static Optional<Cpu> cpu(long pid) {
    return lines(of(pid).resolve("stat")).map(lines -> cpu(lines.getFirst()));
  }

  /** CPU time of the live threads, in milliseconds by group. */
  static SortedMap<String, Double> threads(long pid) {
    SortedMap<String, Double> millis = new TreeMap<>();
    for (Path thread : entries(of(pid).resolve("task"))) {
      lines(thread.resolve("stat"))
          .map(List::getFirst)
          .ifPresent(
              stat -> millis.merge(group(threadName(stat)), cpu(stat).ownMillis(), Double::sum));
    }
    return millis;
  }

  static int threadCount(long pid) {
    return entries(of(pid).resolve("task")).size();
  }

  static int openFiles(long pid) {
    return entries(of(pid).resolve("fd")).size();
  }

  static Optional<Long> pssKib(long pid) {
    return lines(of(pid).resolve("smaps_rollup")).map(Proc::pssKib);
  }

  private static Path of(long pid) {
    return Path.of("/proc", Long.toString(pid));
  }

  private static List<Path> entries(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    } catch (IOException ended) {
      return List.of();
    }
  }

  private static Optional<List<String>> lines(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      return lines.isEmpty() ? Optional.empty() : Optional.of(lines);
    } catch (IOException ended) {
      return Optional.empty();
    }
  }
}
