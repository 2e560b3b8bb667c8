package dev.fairlead.verify.load.launch;

import java.util.Locale;
import java.util.SortedMap;

/**
 * Result of one contender.
 *
 * @param seconds from the first request until the last pod ran
 * @param overCommitments nodes with more GPUs in use than they have, by an independent watcher
 * @param cpuSeconds by program. Programs that all contenders use have the same names
 */
record LaunchRun(
    String contender, double seconds, int overCommitments, SortedMap<String, Double> cpuSeconds) {

  double cpuOf(String part) {
    return cpuSeconds.getOrDefault(part, 0.0);
  }

  double allCpu() {
    return cpuSeconds.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  String line() {
    StringBuilder split = new StringBuilder();
    cpuSeconds.forEach(
        (part, cpu) -> split.append(String.format(Locale.ROOT, " %s %.1f", part, cpu)));
    return String.format(
        Locale.ROOT,
        "%-14s %6.1f s, %d over-commitments, CPU seconds:%s",
        contender,
        seconds,
        overCommitments,
        split);
  }
}
