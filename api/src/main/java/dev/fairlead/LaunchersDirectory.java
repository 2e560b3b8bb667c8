package dev.fairlead;

import dev.fairlead.work.launcher.Launchers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads the operator's launchers before a job is read. A directory with an invalid file stops the
 * start: jobs that name the launcher would fail one by one.
 */
final class LaunchersDirectory implements EnvironmentPostProcessor, Ordered {
  static final String PROPERTY = "fairlead.launchers-directory";

  /** Runs after all property sources are known. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    String directory = environment.getProperty(PROPERTY, "");
    if (!directory.isBlank()) {
      read(Path.of(directory));
    }
  }

  private static void read(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      List<Path> files = entries.filter(file -> file.toString().endsWith(".yaml")).toList();
      SortedMap<String, String> launchers = new TreeMap<>();
      for (Path file : files) {
        launchers.put(file.toString(), Files.readString(file));
      }
      Launchers.extend(launchers);
    } catch (IOException | IllegalArgumentException unusable) {
      throw new IllegalStateException(
          "%s: the launchers in %s cannot be used: %s"
              .formatted(PROPERTY, directory, unusable.getMessage()),
          unusable);
    }
  }
}
