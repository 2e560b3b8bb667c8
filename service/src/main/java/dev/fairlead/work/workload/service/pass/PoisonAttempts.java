package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.attempt.AttemptId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attempts whose handling fails. After {@value #TRIES} failures in a row an attempt is set aside:
 * it is skipped for ten minutes, so that it does not delay others, and then tried again.
 *
 * <p>Thread-safe.
 */
final class PoisonAttempts {
  private static final Logger LOG = LoggerFactory.getLogger(PoisonAttempts.class);
  static final int TRIES = 3;
  private static final Duration LENGTH = Duration.ofMinutes(10);
  private final Map<AttemptId, Trouble> troubles = new ConcurrentSkipListMap<>();
  private final Map<AttemptId, String> untold = new ConcurrentSkipListMap<>();

  private record Trouble(int failures, long atNanos) {}

  /**
   * Counts a failure of its handling and returns the number of recent failures.
   *
   * @throws VirtualMachineError when that is the failure
   */
  int blame(AttemptId id, Throwable failed, long nanos) {
    FatalErrors.rethrow(failed);
    int failures = failures(id, nanos);
    if (failures == TRIES) {
      untold.put(id, failed.toString());
    }
    return failures;
  }

  /**
   * Runs the handling of the attempt. Returns false when it failed. The failure is counted and
   * logged.
   */
  boolean tried(AttemptId id, long nanos, Runnable handling) {
    try {
      handling.run();
      return true;
    } catch (RuntimeException | Error failed) {
      int failures = blame(id, failed, nanos);
      LOG.warn(
          "attempt {} could not be reconciled {} times and is skipped",
          id.text(),
          failures,
          failed);
      return false;
    }
  }

  private int failures(AttemptId id, long nanos) {
    return troubles
        .merge(
            id,
            new Trouble(1, nanos),
            (before, now) ->
                now.atNanos() - before.atNanos() > 2 * LENGTH.toNanos()
                    ? now
                    : new Trouble(before.failures() + 1, now.atNanos()))
        .failures();
  }

  /** Its handling succeeded, or it has ended. */
  void forget(AttemptId id) {
    troubles.remove(id);
    untold.remove(id);
  }

  /** Called when another process supervises the cluster. That process tries the attempts again. */
  void forget() {
    troubles.clear();
    untold.clear();
  }

  /** Attempts that were set aside and not reported yet, each with its cause. */
  Map<AttemptId, String> untold() {
    return Map.copyOf(untold);
  }

  /** The report that the attempt was set aside is stored. */
  void told(AttemptId id) {
    untold.remove(id);
  }

  /** Returns whether the attempt is skipped now. */
  boolean rests(AttemptId id, long nanos) {
    Trouble trouble = troubles.get(id);
    return trouble != null
        && trouble.failures() >= TRIES
        && nanos - trouble.atNanos() < LENGTH.toNanos();
  }

  /** Number of attempts that are set aside. */
  int count() {
    return (int) troubles.values().stream().filter(t -> t.failures() >= TRIES).count();
  }
}
