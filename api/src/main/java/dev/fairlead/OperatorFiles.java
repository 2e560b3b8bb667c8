package dev.fairlead;

import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.serving.ModelRuntimes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads the operator's launchers and runtimes before a job is read. A directory with an invalid
 * file stops the start: jobs that name the launcher would fail one by one.
 */
final class OperatorFiles implements EnvironmentPostProcessor, Ordered {
  static final String LAUNCHERS = "fairlead.launchers-directory";
  static final String RUNTIMES = "fairlead.runtimes-directory";

  /** Runs after all property sources are known. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    read(environment, LAUNCHERS, Launchers::extend);
    read(environment, RUNTIMES, ModelRuntimes::extend);
  }

  private static void read(
      ConfigurableEnvironment environment,
      String property,
      Consumer<SortedMap<String, String>> extend) {
    String directory = environment.getProperty(property, "");
    if (directory.isBlank()) {
      return;
    }
    try (Stream<Path> entries = Files.list(Path.of(directory))) {
      List<Path> files = entries.filter(file -> file.toString().endsWith(".yaml")).toList();
      SortedMap<String, String> texts = new TreeMap<>();
      for (Path file : files) {
        texts.put(file.toString(), Files.readString(file));
      }
      extend.accept(texts);
    } catch (IOException | IllegalArgumentException unusable) {
      throw new IllegalStateException(
          "%s: the files in %s cannot be used: %s"
              .formatted(property, directory, unusable.getMessage()),
          unusable);
    }
  }
}
