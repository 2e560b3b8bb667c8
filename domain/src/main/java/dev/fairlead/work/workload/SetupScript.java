package dev.fairlead.work.workload;

import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.workload.judgement.ObservedMember;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the setup commands of a member before its program, in the same container. The commands share
 * one {@code /bin/sh -e}, which is a child of the first process. The child leaves the working
 * directory and variables of the program unchanged, and a stop of the member does not wait for it.
 * The number of the current command is the termination message of the container until the program
 * starts.
 */
public final class SetupScript {
  private static final String AT = "fairlead: setup command ";
  private static final Pattern FAILED = Pattern.compile(AT + "([0-9]+) of [0-9]+");

  /** Uses regular builtins, so a log that cannot be written does not end the shell. */
  private static final String SCRIPT =
      """
      fairlead_note() {
        { printf '%s' "$1" >/dev/termination-log
        } 2>/dev/null || true
      }
      fairlead_step() {
        fairlead_note "$1"
        printf '%s\n' "$1" >&2
      }
      fairlead_stop() {
        kill "$fairlead_setup" 2>/dev/null
        fairlead_note ""
        exit 143
      }
      trap fairlead_stop TERM INT
      (
      set --
      COMMANDS) &
      fairlead_setup=$!
      fairlead_code=0
      wait "$fairlead_setup" || fairlead_code=$?
      if [ "$fairlead_code" -ne 0 ]
      then
        printf 'fairlead: setup ended with exit code %s\n' "$fairlead_code" >&2
        exit "$fairlead_code"
      fi
      fairlead_note ''
      trap - TERM INT
      exec "$@"
      """;

  private SetupScript() {}

  static CommandSpec before(CommandSpec program) {
    List<String> setup = program.setup();
    if (setup.isEmpty()) {
      return program;
    }
    String commands =
        IntStream.range(0, setup.size())
            .mapToObj(i -> step(i + 1, setup.size(), setup.get(i)))
            .collect(Collectors.joining());
    List<String> words = new ArrayList<>(program.command());
    words.addAll(program.args());
    words.addAll(0, List.of("/bin/sh", "-c", SCRIPT.replace("COMMANDS", commands), "fairlead"));
    return CommandSpec.exec(words);
  }

  /** {@code set -e} has no effect on the left side of {@code ||}. */
  private static String step(int number, int all, String command) {
    return """
    fairlead_step '%s%d of %d'
    set -e
    eval %s
    fairlead_code=$?
    [ "$fairlead_code" -eq 0 ] || exit "$fairlead_code"
    """
        .formatted(AT, number, all, CommandSpec.quoted(command));
  }

  /**
   * Returns the reason of a member whose container failed, null if it did not fail in its setup.
   *
   * @param message termination message of the container
   */
  public static @Nullable String reason(@Nullable String message) {
    Matcher failed = FAILED.matcher(message == null ? "" : message);
    return failed.matches() ? ObservedMember.SETUP_FAILED + " " + failed.group(1) : null;
  }
}
