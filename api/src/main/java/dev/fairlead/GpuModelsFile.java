package dev.fairlead;

import dev.fairlead.kernel.resources.GpuCatalogue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Reads the operator's GPU models before any part of the process reads the catalogue. An unreadable
 * file stops the start: without it, GPUs would be billed and placed as another model.
 */
final class GpuModelsFile implements EnvironmentPostProcessor, Ordered {
  static final String PROPERTY = "fairlead.gpu-models-file";

  /** Runs after all property sources are known. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    String file = environment.getProperty(PROPERTY, "");
    if (!file.isBlank()) {
      read(Path.of(file));
    }
  }

  private static void read(Path file) {
    try {
      GpuCatalogue.extend(Files.readAllLines(file));
    } catch (IOException | IllegalArgumentException unusable) {
      throw new IllegalStateException(
          PROPERTY
              + ": "
              + file
              + " is not a valid list of GPU models: "
              + unusable.getMessage()
              + ". The first line of a table names its columns:"
              + " model,product,memory_mib,mig,keys,machines.",
          unusable);
    }
  }
}
