package dev.fairlead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.launcher.Launchers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.mock.env.MockEnvironment;

class LaunchersDirectoryTest {
  @TempDir private Path directory;

  @AfterEach
  void shippedOnly() {
    Launchers.extend(new TreeMap<>());
  }

  private void start() {
    MockEnvironment environment = new MockEnvironment();
    environment.setProperty(LaunchersDirectory.PROPERTY, directory.toString());
    new LaunchersDirectory().postProcessEnvironment(environment, new SpringApplication());
  }

  @Test
  void aFileOfTheDirectoryIsALauncher() throws IOException {
    Files.writeString(directory.resolve("own.yaml"), "name: own\ndescription: Our own.\n");
    Files.writeString(directory.resolve("README"), "no launcher");

    start();

    assertThat(Launchers.find("own")).isPresent();
    assertThat(Launchers.find("torchrun")).isPresent();
  }

  /** Fails when a process starts with a launcher that it cannot read. */
  @Test
  void aBrokenFileEndsTheStartWithItsName() throws IOException {
    Files.writeString(directory.resolve("own.yaml"), "name: own\nhostNetwork: true\n");

    assertThatThrownBy(this::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(
            LaunchersDirectory.PROPERTY, "own.yaml", "hostNetwork is no field of a launcher");
  }
}
