package dev.fairlead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.launcher.Launchers;
import dev.fairlead.work.serving.ModelRuntimes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.mock.env.MockEnvironment;

class OperatorFilesTest {
  @TempDir private Path directory;

  @AfterEach
  void shippedOnly() {
    Launchers.extend(new TreeMap<>());
    ModelRuntimes.extend(new TreeMap<>());
  }

  private void start(String property) {
    MockEnvironment environment = new MockEnvironment();
    environment.setProperty(property, directory.toString());
    new OperatorFiles().postProcessEnvironment(environment, new SpringApplication());
  }

  @Test
  void aFileOfTheDirectoryIsALauncher() throws IOException {
    Files.writeString(directory.resolve("own.yaml"), "name: own\ndescription: Our own.\n");
    Files.writeString(directory.resolve("README"), "no launcher");

    start(OperatorFiles.LAUNCHERS);

    assertThat(Launchers.find("own")).isPresent();
    assertThat(Launchers.find("torchrun")).isPresent();
  }

  /** Fails when a process starts with a launcher that it cannot read. */
  @Test
  void invalidFileStopsTheStartAndIsNamed() throws IOException {
    Files.writeString(directory.resolve("own.yaml"), "name: own\nhostNetwork: true\n");

    assertThatThrownBy(() -> start(OperatorFiles.LAUNCHERS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(OperatorFiles.LAUNCHERS, "own.yaml", "hostNetwork");
  }

  @Test
  void fileOfTheOtherDirectoryIsARuntime() throws IOException {
    Files.writeString(
        directory.resolve("own.yaml"),
        "name: own\ndescription: Our own.\nmetric: RPS\nmodels: {hf: []}\n");

    start(OperatorFiles.RUNTIMES);

    assertThat(ModelRuntimes.find("own")).isPresent();
    assertThat(ModelRuntimes.find("vllm")).isPresent();
  }

  /** Fails when one of two files silently replaces the other. */
  @Test
  void twoFilesOfOneNameEndTheStart() throws IOException {
    for (String file : List.of("a.yaml", "b.yaml")) {
      Files.writeString(
          directory.resolve(file),
          "name: own\ndescription: Our own.\nmetric: RPS\nmodels: {hf: []}\n");
    }

    assertThatThrownBy(() -> start(OperatorFiles.RUNTIMES))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("b.yaml", "name own ", "a.yaml");
  }

  /** Fails when an operator's runtime can request more than a job. */
  @Test
  void aRuntimeWithAPrivilegedFieldEndsTheStart() throws IOException {
    Files.writeString(directory.resolve("own.yaml"), "name: own\nprivileged: true\n");

    assertThatThrownBy(() -> start(OperatorFiles.RUNTIMES))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(OperatorFiles.RUNTIMES, "own.yaml", "privileged");
  }
}
