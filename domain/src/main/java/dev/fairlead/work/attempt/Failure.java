package dev.fairlead.work.attempt;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why, with evidence.
 *
 * @param attempt number of the attempt, from 1
 * @param member {@code role-index} of the member that failed first, when one did
 * @param gpuSerial serial of the GPU at fault, when one was
 * @param right right by which it was preempted for another job, null without a preemption
 */
public record Failure(
    FailureCause cause,
    String message,
    int attempt,
    @Nullable String member,
    @Nullable String node,
    @Nullable String gpuSerial,
    @Nullable Integer exitCode,
    List<String> evidence,
    @Nullable EvictionRight right) {
  private static final String INCIDENT = "INCIDENT ";
  private static final String LEAVING = "NODE_LEAVING";
  private static final String NO_RETRY_SPENT = "NO_RETRY_SPENT";

  public Failure {
    evidence = List.copyOf(evidence);
  }

  /** A failure without a preemption. */
  public Failure(
      FailureCause cause,
      String message,
      int attempt,
      @Nullable String member,
      @Nullable String node,
      @Nullable String gpuSerial,
      @Nullable Integer exitCode,
      List<String> evidence) {
    this(cause, message, attempt, member, node, gpuSerial, exitCode, evidence, null);
  }

  /** Of an attempt that makes room for another job. */
  public static Failure preempted(EvictionRight right, int attempt) {
    return new Failure(
        FailureCause.PREEMPTED, right.text(), attempt, null, null, null, null, List.of(), right);
  }

  /**
   * An incident stopped the attempt.
   *
   * @param message what broke
   * @param incident id of it
   */
  public static Failure ofIncident(
      String message,
      int attempt,
      String member,
      String node,
      @Nullable String gpuSerial,
      String incident) {
    return new Failure(
        FailureCause.GPU_FAULT,
        message,
        attempt,
        member,
        node,
        gpuSerial,
        null,
        List.of(INCIDENT + incident));
  }

  /** Whether an incident explains it, so that its job is not at fault. */
  public boolean explained() {
    return evidence.stream().anyMatch(e -> e.startsWith(INCIDENT));
  }

  /** Whether it spends no retry, but counts as a fault: its job is not known to be at fault. */
  public boolean faulty() {
    return explained() || cause == FailureCause.HANG;
  }

  /** The same failure on a machine whose provider had announced its end. */
  public Failure announced() {
    return with(LEAVING).saying("; its provider had said that the machine goes");
  }

  /** Whether a machine went that was said to go, so that its job is not at fault. */
  public boolean wasAnnounced() {
    return evidence.contains(LEAVING);
  }

  /** The same of an attempt that ended while its job was suspended or waited already. */
  public Failure spendingNothing() {
    return with(NO_RETRY_SPENT);
  }

  private Failure with(String proof) {
    List<String> more = new ArrayList<>(evidence);
    more.add(proof);
    return new Failure(cause, message, attempt, member, node, gpuSerial, exitCode, more, right);
  }

  /** Whether the end of the attempt used no retry of its job, by the job's state at that time. */
  public boolean spentNothing() {
    return evidence.contains(NO_RETRY_SPENT) || wasAnnounced();
  }

  /** Whether it equals the other one, or adds detail to it. */
  public boolean isOrSaysMoreThan(Failure other) {
    return message.startsWith(other.message)
        && equals(other.saying(message.substring(other.message.length())));
  }

  /** The same with more words. */
  public Failure saying(String more) {
    return new Failure(
        cause, message + more, attempt, member, node, gpuSerial, exitCode, evidence, right);
  }

  public static Failure of(FailureCause cause, String message, int attempt) {
    return new Failure(cause, message, attempt, null, null, null, null, List.of());
  }
}
