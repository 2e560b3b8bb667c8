package dev.fairlead.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why, with evidence.
 *
 * @param attempt number of the attempt, from 1
 * @param member {@code role-index} of the member that failed first, when one did
 * @param gpuSerial serial of the GPU at fault, when one was
 */
public record Failure(
    FailureCause cause,
    String message,
    int attempt,
    @Nullable String member,
    @Nullable String node,
    @Nullable String gpuSerial,
    @Nullable Integer exitCode,
    List<String> evidence) {
  public Failure {
    evidence = List.copyOf(evidence);
  }

  public static Failure of(FailureCause cause, String message, int attempt) {
    return new Failure(cause, message, attempt, null, null, null, null, List.of());
  }
}
