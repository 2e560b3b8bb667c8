package dev.fairlead.work.workload;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Session to open in a running member.
 *
 * @param container init container or sidecar of the member, null for its program
 */
public record SessionRequest(
    AttemptId attempt,
    String namespace,
    MemberKey member,
    @Nullable String container,
    Target target) {
  /** The remote end of a session. */
  public sealed interface Target {}

  /**
   * A command that starts with the session.
   *
   * @param words program and arguments, at least one
   * @param input whether the command has an input. Otherwise it reads the end of a file
   * @param terminal whether it has a terminal, which also joins its errors to its output
   */
  public record Command(List<String> words, boolean input, boolean terminal) implements Target {
    public Command {
      words = List.copyOf(words);
    }
  }

  /**
   * A connection to a TCP port on the loopback interface of the member.
   *
   * @param number 1 to 65535
   */
  public record Port(int number) implements Target {}
}
