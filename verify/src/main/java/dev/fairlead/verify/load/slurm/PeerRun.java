package dev.fairlead.verify.load.slurm;

import java.time.Duration;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One load of one system.
 *
 * @param load {@code 5000 single submits}
 * @param submitRate jobs or elements a second, up to the last response
 * @param startRate jobs or elements a second, from the first request until the last start was seen
 * @param endRate jobs or elements a second, from the first request until the last end was seen
 * @param cpuMillis CPU of a job or element by part of the system
 */
record PeerRun(
    String system,
    String load,
    double submitRate,
    double startRate,
    double endRate,
    SortedMap<String, Double> cpuMillis) {
  static final String HEADER =
      "system     load                 | submits/s  starts/s    ends/s  CPU ms of a job";

  private static final Duration MOST = Duration.ofMinutes(20);

  /** Interval between two checks of the system. */
  private static final long LOOK_MILLIS = 250;

  /** Sends requests. */
  interface Submits {
    void run() throws InterruptedException;
  }

  /**
   * Submits jobs and waits until all have ended.
   *
   * @param jobs that the requests submit
   * @throws IllegalStateException when they do not end within 20 minutes
   */
  static PeerRun measure(String system, Peer peer, String load, int jobs, Submits submits)
      throws InterruptedException {
    SortedMap<String, Double> before = peer.cpuMillis();
    long began = System.nanoTime();
    submits.run();
    double submitted = seconds(began);
    double started = 0;
    while (!peer.ended()) {
      if (started == 0 && peer.started()) {
        started = seconds(began);
      }
      if (seconds(began) > MOST.toSeconds()) {
        throw new IllegalStateException(
            system + ": not all jobs ended within " + MOST.toMinutes() + " min");
      }
      Thread.sleep(LOOK_MILLIS);
    }
    double ended = seconds(began);
    peer.settle();
    SortedMap<String, Double> cpu = new TreeMap<>(peer.cpuMillis());
    cpu.replaceAll((part, millis) -> (millis - before.getOrDefault(part, 0.0)) / jobs);
    return new PeerRun(
        system, load, jobs / submitted, jobs / (started == 0 ? ended : started), jobs / ended, cpu);
  }

  private static double seconds(long from) {
    return (System.nanoTime() - from) / 1e9;
  }

  String row() {
    return String.format(
        Locale.ROOT,
        "%-10s %-20s | %9.0f %9.0f %9.0f  %s",
        system,
        load,
        submitRate,
        startRate,
        endRate,
        cpuMillis.entrySet().stream()
            .map(part -> String.format(Locale.ROOT, "%s %.2f", part.getKey(), part.getValue()))
            .collect(Collectors.joining(", ")));
  }
}
