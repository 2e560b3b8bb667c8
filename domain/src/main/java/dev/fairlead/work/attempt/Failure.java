package dev.fairlead.work.attempt;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cause of a failed attempt, with evidence.
 *
 * @param attempt number of the attempt, from 1
 * @param member {@code role-index} of the member that failed first, null if none
 * @param gpuSerial serial number of the faulty GPU, null if none
 * @param right right by which another job preempted the attempt, null if none
 */
@RecordBuilder
public record Failure(
    FailureCause cause,
    String message,
    int attempt,
    @Nullable String member,
    @Nullable String node,
    @Nullable String gpuSerial,
    @Nullable Integer exitCode,
    List<String> evidence,
    @Nullable EvictionRight right)
    implements FailureBuilder.With {
  private static final String INCIDENT = "INCIDENT ";
  private static final String LEAVING = "NODE_LEAVING";
  private static final String UNHEALTHY = "DEVICE_UNHEALTHY";
  private static final String NO_RETRY_SPENT = "NO_RETRY_SPENT";

  public Failure {
    evidence = List.copyOf(evidence);
  }

  /** A failure of an attempt that is preempted for another job. */
  public static Failure preempted(EvictionRight right, int attempt) {
    return of(FailureCause.PREEMPTED, right.text(), attempt).withRight(right);
  }

  /**
   * An incident stopped the attempt.
   *
   * @param message description of the fault
   * @param incident id of the incident
   */
  public static Failure ofIncident(
      String message,
      int attempt,
      String member,
      String node,
      @Nullable String gpuSerial,
      String incident) {
    return of(FailureCause.GPU_FAULT, message, attempt)
        .with()
        .member(member)
        .node(node)
        .gpuSerial(gpuSerial)
        .evidence(List.of(INCIDENT + incident))
        .build();
  }

  /** Its provider announced the end of a machine, so the attempt was moved. */
  public static Failure ofNotice(String message, int attempt, String member, String node) {
    return of(FailureCause.PREEMPTED, message, attempt)
        .with()
        .member(member)
        .node(node)
        .evidence(List.of(LEAVING))
        .build();
  }

  /**
   * A device plugin reports a GPU as unhealthy, so the attempt was moved.
   *
   * @param gpuSerial UUID of the GPU, null if the cluster does not name it
   */
  public static Failure ofDevicePlugin(
      String message, int attempt, String member, String node, @Nullable String gpuSerial) {
    return of(FailureCause.GPU_FAULT, message, attempt)
        .with()
        .member(member)
        .node(node)
        .gpuSerial(gpuSerial)
        .evidence(List.of(UNHEALTHY))
        .build();
  }

  /** Returns whether an incident explains the failure, so its job is not at fault. */
  public boolean explained() {
    return evidence.stream().anyMatch(e -> e.startsWith(INCIDENT));
  }

  /**
   * Returns whether the failure counts as a fault instead of a retry, because the job may have
   * caused it.
   */
  public boolean faulty() {
    return explained() || cause == FailureCause.HANG || evidence.contains(UNHEALTHY);
  }

  /** Returns the failure for a machine whose removal its provider had announced. */
  public Failure announced() {
    return with(LEAVING).saying(", after its provider announced the removal of the machine");
  }

  /** Returns whether an announced machine was removed, so its job is not at fault. */
  public boolean wasAnnounced() {
    return evidence.contains(LEAVING);
  }

  /**
   * Returns the failure for an attempt that ended while its job was already suspended or waiting.
   */
  public Failure spendingNothing() {
    return with(NO_RETRY_SPENT);
  }

  private Failure with(String proof) {
    List<String> more = new ArrayList<>(evidence);
    more.add(proof);
    return withEvidence(more);
  }

  /**
   * Returns whether the end of the attempt did not count as a failure because of the job's state.
   */
  public boolean spentNothing() {
    return evidence.contains(NO_RETRY_SPENT) || wasAnnounced();
  }

  /** Returns whether the failure equals the other failure, possibly with a longer message. */
  public boolean isOrSaysMoreThan(Failure other) {
    return message.startsWith(other.message)
        && equals(other.saying(message.substring(other.message.length())));
  }

  /** Returns the failure with a longer message. */
  public Failure saying(String more) {
    return withMessage(message + more);
  }

  public static Failure of(FailureCause cause, String message, int attempt) {
    return FailureBuilder.builder()
        .cause(cause)
        .message(message)
        .attempt(attempt)
        .member(null)
        .node(null)
        .gpuSerial(null)
        .exitCode(null)
        .evidence(List.of())
        .right(null)
        .build();
  }
}
