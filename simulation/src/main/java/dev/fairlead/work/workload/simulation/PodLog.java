package dev.fairlead.work.workload.simulation;

import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.workload.LogRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** Simulated output of a pod: a line at its start, one every ten seconds, one at its end. */
final class PodLog {
  static final Duration HEARTBEAT = Duration.ofSeconds(10);

  private PodLog() {}

  /** The pod with the requested output. */
  static SimulatedPod readable(WorkloadBook book, Outage outage, LogRequest request)
      throws IOException {
    if (outage.silent()) {
      throw new IOException("the cluster does not answer");
    }
    if (request.container() != null) {
      throw new IOException("a simulated member runs its program alone");
    }
    SimulatedPod pod;
    try {
      pod = book.pod(request.attempt(), request.member());
    } catch (IllegalArgumentException absent) {
      throw new IOException(absent.getMessage(), absent);
    }
    if (!pod.node.answers()) {
      throw new IOException("node " + pod.node.name() + " does not answer");
    }
    if (pod.startedAt() == null) {
      throw new IOException(pod.name() + " has not started");
    }
    return pod;
  }

  /** Number of lines until now. */
  static long lines(SimulatedPod pod, Instant now) {
    boolean saidHowItEnded = pod.exitCode() != null && pod.lostAt == null;
    return pod.startedAt() == null ? 0 : 1 + beats(pod, now) + (saidHowItEnded ? 1 : 0);
  }

  /** Returns whether no more lines will follow. */
  static boolean complete(SimulatedPod pod) {
    return !pod.open() || pod.lostAt != null;
  }

  /** First line that was written at the time or later. */
  static long firstSince(SimulatedPod pod, Instant since, Instant now) {
    Instant start = pod.startedAt();
    if (start == null || !since.isAfter(start)) {
      return 0;
    }
    long all = lines(pod, now);
    Instant end = pod.endedAt();
    return end != null && since.isAfter(end)
        ? all
        : Math.min(
            all, Math.ceilDiv(Duration.between(start, since).toMillis(), HEARTBEAT.toMillis()));
  }

  /** The line, after the time when it was written. */
  static String line(SimulatedPod pod, long number, Instant now) {
    Instant start = pod.startedAt() == null ? now : pod.startedAt();
    if (number == 0) {
      return timed(start, headline(pod));
    }
    long beats = beats(pod, now);
    return number <= beats
        ? timed(start.plus(HEARTBEAT.multipliedBy(number)), "heartbeat " + number)
        : timed(
            end(pod, now), "ended with exit code " + pod.exitCode() + " (" + pod.reason() + ")");
  }

  /** Adds the time to the lines of simulated members, like many programs do. */
  private static String timed(Instant at, String text) {
    return at + " " + at + " " + text;
  }

  private static String headline(SimulatedPod pod) {
    StringBuilder line = new StringBuilder("started");
    line.append(" FAIRLEAD_JOB_NAME=").append(pod.workload.job);
    line.append(" FAIRLEAD_ATTEMPT=").append(pod.workload.number);
    line.append(" FAIRLEAD_ROLE=").append(pod.key.role());
    line.append(" FAIRLEAD_INDEX=").append(pod.key.index());
    line.append(" NODE_NAME=").append(pod.node.name());
    if (!pod.gpus.isEmpty()) {
      line.append(" NVIDIA_VISIBLE_DEVICES=");
      line.append(String.join(",", pod.gpus.stream().map(GpuShare::serial).toList()));
    }
    return line.toString();
  }

  private static long beats(SimulatedPod pod, Instant now) {
    Instant end = end(pod, now);
    return pod.startedAt() == null || end.isBefore(pod.startedAt())
        ? 0
        : Duration.between(pod.startedAt(), end).toMillis() / HEARTBEAT.toMillis();
  }

  private static Instant end(SimulatedPod pod, Instant now) {
    Instant end = pod.lostAt == null ? pod.endedAt() : pod.lostAt;
    return end == null ? now : end;
  }
}
