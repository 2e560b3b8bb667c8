package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code fairlead apply -f -}. The process starts before the service and waits for its standard
 * input, so that its start does not delay the demo. Its output is printed to this terminal.
 */
final class PlatformApply implements AutoCloseable {
  /** Exit code of {@code tools/suites/python} without a virtual environment. */
  private static final int NO_COMMAND_LINE = 77;

  private final @Nullable Process process;

  private PlatformApply(@Nullable Process process) {
    this.process = process;
  }

  /**
   * Starts the command line of the work tree. A release archive has no command line.
   *
   * @param service its address, where it need not answer yet
   */
  static PlatformApply start(URI service) {
    return start(WorkTree.root().resolve("tools/suites/python"), service);
  }

  static PlatformApply start(Path program, URI service) {
    if (!Files.isExecutable(program)) {
      return new PlatformApply(null);
    }
    ProcessBuilder builder =
        new ProcessBuilder(List.of(program.toString(), "run", "apply", "-f", "-"))
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    Map<String, String> environment = builder.environment();
    environment.remove("FAIRLEAD_TENANT");
    environment.put("FAIRLEAD_URL", service.toString());
    environment.put("FAIRLEAD_TOKEN", Objects.requireNonNullElse(LocalFairlead.token(), ""));
    environment.put("FAIRLEAD_CONFIG", WorkTree.scratch("demo").resolve("config.json").toString());
    try {
      return new PlatformApply(builder.start());
    } catch (IOException e) {
      throw new StartFailed(program + " could not be run: " + e.getMessage(), e);
    }
  }

  /**
   * Applies a platform file once the service is ready. A process that ended before it read the file
   * is judged by its exit code.
   *
   * @return false where this machine has no command line
   * @throws StartFailed when the file was not applied
   */
  boolean apply(Path file) throws InterruptedException {
    if (process == null) {
      return false;
    }
    try (OutputStream input = process.getOutputStream()) {
      Files.copy(file, input);
    } catch (IOException e) {
      if (!Files.isReadable(file)) {
        throw new StartFailed(file + " cannot be read: " + e.getMessage(), e);
      }
    }
    int code = process.waitFor();
    if (code != 0 && code != NO_COMMAND_LINE) {
      throw new StartFailed("fairlead apply -f " + file + " ended with code " + code);
    }
    return code == 0;
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroy();
    }
  }
}
