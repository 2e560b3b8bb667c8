package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A script of the work tree. Its progress and errors are printed to this terminal. */
final class Script {
  private final Path file;

  /**
   * @param path below the root of the work tree
   */
  Script(String path) {
    file = WorkTree.root().resolve(path);
  }

  /**
   * Its standard output, trimmed.
   *
   * @throws StartFailed when it ends with a different code than 0
   */
  String run(String... arguments) throws InterruptedException {
    return runWith("", arguments);
  }

  /** Runs the script with a text on its standard input. */
  String runWith(String input, String... arguments) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of(file.toString()));
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      try (var stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(StandardCharsets.UTF_8));
      }
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int code = process.waitFor();
      if (code != 0) {
        throw new StartFailed(String.join(" ", command) + " ended with code " + code);
      }
      return output;
    } catch (IOException e) {
      throw new StartFailed(file + " could not be run: " + e.getMessage(), e);
    }
  }
}
