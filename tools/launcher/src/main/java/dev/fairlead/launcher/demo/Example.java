package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.StartFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A job of {@code examples/} and its expected end. The first line of its file is {@code # expect:
 * STATE}. Lines {@code # cause: CAUSE} and {@code # attempts: N} may follow.
 *
 * @param file its file name
 * @param state SUCCEEDED, FAILED, or CANCELLED: the demo cancels it after its pending reason was
 *     shown
 * @param cause expected failure cause, null = any
 * @param attempts expected number of attempts, null = any
 * @param yaml the whole file, which is sent unchanged
 */
record Example(
    String file, String state, @Nullable String cause, @Nullable Integer attempts, String yaml) {
  private static final Pattern EXPECT =
      Pattern.compile("# expect: (SUCCEEDED|FAILED|CANCELLED)\\s*");
  private static final Pattern CAUSE = Pattern.compile("# cause: ([A-Z_]+)\\s*");
  private static final Pattern ATTEMPTS = Pattern.compile("# attempts: ([0-9]{1,2})\\s*");

  /**
   * All {@code *.yaml} files of a directory, by name.
   *
   * @throws StartFailed when one has no expected end, or there is none
   */
  static List<Example> in(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> yaml = files.filter(f -> f.toString().endsWith(".yaml")).sorted().toList();
      if (yaml.isEmpty()) {
        throw new StartFailed(directory + " holds no example (*.yaml)");
      }
      return yaml.stream().map(Example::read).toList();
    } catch (IOException e) {
      throw new StartFailed(directory + " cannot be read: " + e, e);
    }
  }

  private static Example read(Path file) {
    try {
      return parse(file.getFileName().toString(), Files.readString(file));
    } catch (IOException e) {
      throw new StartFailed(file + " cannot be read: " + e, e);
    }
  }

  static Example parse(String file, String yaml) {
    String first = yaml.lines().findFirst().orElse("");
    Matcher expect = EXPECT.matcher(first);
    if (!expect.matches()) {
      throw new StartFailed(
          file
              + ":1: expected \"# expect: SUCCEEDED\", FAILED or CANCELLED, found \""
              + first
              + "\"");
    }
    String attempts = header(yaml, ATTEMPTS);
    return new Example(
        file,
        expect.group(1),
        header(yaml, CAUSE),
        attempts == null ? null : Integer.valueOf(attempts),
        yaml);
  }

  private static @Nullable String header(String yaml, Pattern pattern) {
    return yaml.lines()
        .takeWhile(line -> line.startsWith("#"))
        .map(pattern::matcher)
        .filter(Matcher::matches)
        .map(line -> line.group(1))
        .findFirst()
        .orElse(null);
  }

  boolean cancelledByTheDemo() {
    return state.equals("CANCELLED");
  }

  /** Differences from the example, empty if none. */
  Stream<String> differences(JobLine job) {
    return Stream.of(
            differs("state", state, job.state()),
            differs("cause", cause, job.cause()),
            differs(
                "attempts",
                attempts == null ? null : attempts.toString(),
                Integer.toString(job.attempts())))
        .filter(text -> !text.isEmpty());
  }

  private String differs(String what, @Nullable String wanted, String found) {
    return wanted == null || wanted.equals(found)
        ? ""
        : file
            + ": "
            + what
            + " should be "
            + wanted
            + ", is "
            + (found.isEmpty() ? "none" : found);
  }
}
