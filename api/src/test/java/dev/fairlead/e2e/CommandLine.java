package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command {@code fairlead} of this tree, with separate settings below the given folder. */
record CommandLine(Path folder, String service) {
  private static final String ROOT = System.getProperty("fairlead.root", "..");
  private static final int NO_ENVIRONMENT = 77;
  private static final int PATIENCE_SECONDS = 60;

  /** A running command, whose error output is read line by line. */
  record Running(Process process, BufferedReader errors) {
    /** The group of the pattern in the first matching line. */
    String says(Pattern what) {
      StringBuilder seen = new StringBuilder();
      try {
        for (String line = errors.readLine(); line != null; line = errors.readLine()) {
          seen.append(line).append('\n');
          Matcher found = what.matcher(line);
          if (found.find()) {
            return found.group(1);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      skipWithoutEnvironment();
      throw new AssertionError("ended without " + what + ":\n" + seen);
    }

    private void skipWithoutEnvironment() {
      assumeTrue(
          code() != NO_ENVIRONMENT || "true".equals(System.getenv("CI")),
          "no virtual environment for the command line");
    }

    private int code() {
      try {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    /** Reads the rest. */
    Ended ended() {
      try {
        String said = String.join("\n", errors.lines().toList());
        String printed = String.join("\n", process.inputReader().lines().toList());
        int code = code();
        skipWithoutEnvironment();
        return new Ended(code, printed, said);
      } finally {
        process.destroy();
      }
    }
  }

  record Ended(int code, String printed, String said) {}

  Running start(Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>(List.of(ROOT + "/tools/suites/python", "run"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.environment().keySet().removeIf(name -> name.startsWith("FAIRLEAD_"));
    builder.environment().put("FAIRLEAD_CONFIG", folder.resolve("config.json").toString());
    builder.environment().put("FAIRLEAD_URL", service);
    builder.environment().put("BROWSER", "true %s"); // opens nothing: the test is the browser
    builder.environment().putAll(environment);
    try {
      Process process = builder.start();
      return new Running(process, process.errorReader());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Ended run(String... arguments) {
    return start(Map.of(), arguments).ended();
  }
}
