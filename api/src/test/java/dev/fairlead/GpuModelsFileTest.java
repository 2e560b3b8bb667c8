package dev.fairlead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.resources.GpuCatalogue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.mock.env.MockEnvironment;

/** Fails when an operator's GPU models are not read, or a process starts without them. */
class GpuModelsFileTest {
  @TempDir Path folder;

  @AfterEach
  void shipped() {
    GpuCatalogue.extend(List.of());
  }

  @Test
  void modelsOfTheFileAreAddedAndAnUnusableFileStopsTheStart() throws IOException {
    Path file = folder.resolve("models.csv");
    Files.writeString(file, "model,product,memory_mib,mig,keys,machines\nX900,,64000,,x900,\n");
    start(file);
    assertThat(GpuCatalogue.byName("X900")).isPresent();
    assertThat(GpuCatalogue.byName("H100")).isPresent();

    Files.writeString(file, "model,product,memory_mib,mig,keys,machines\nX900,64000\n");
    assertThatThrownBy(() -> start(file))
        .hasMessageContaining(GpuModelsFile.PROPERTY)
        .hasMessageContaining("X900,64000");
    assertThatThrownBy(() -> start(folder.resolve("absent.csv")))
        .hasMessageContaining("absent.csv");
  }

  private static void start(Path file) {
    MockEnvironment environment = new MockEnvironment();
    environment.setProperty(GpuModelsFile.PROPERTY, file.toString());
    new GpuModelsFile().postProcessEnvironment(environment, new SpringApplication());
  }
}
