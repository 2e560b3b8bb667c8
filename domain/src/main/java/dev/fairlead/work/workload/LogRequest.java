package dev.fairlead.work.workload;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which output.
 *
 * @param container init container or sidecar of the member, null for its program
 * @param tail maximum of last lines, null for all
 * @param since lines from the second of that time, null for all
 * @param follow whether the stream stays open until the member ends
 */
public record LogRequest(
    AttemptId attempt,
    String namespace,
    MemberKey member,
    @Nullable String container,
    @Nullable Integer tail,
    @Nullable Instant since,
    boolean follow) {
  /** The output of the program. */
  public LogRequest(
      AttemptId attempt,
      String namespace,
      MemberKey member,
      @Nullable Integer tail,
      @Nullable Instant since,
      boolean follow) {
    this(attempt, namespace, member, null, tail, since, follow);
  }
}
