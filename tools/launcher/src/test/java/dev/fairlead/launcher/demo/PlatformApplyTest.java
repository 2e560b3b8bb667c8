package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.launcher.StartFailed;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlatformApplyTest {
  private static final URI SERVICE = URI.create("http://127.0.0.1:18080");
  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void platformFile() throws Exception {
    file = Files.writeString(directory.resolve("platform.yaml"), "quotas: [{name: teams}]\n");
  }

  @Test
  void commandLineGetsTheFileAndTheAddressOfTheService() throws Exception {
    Path seen = directory.resolve("seen");
    try (PlatformApply apply =
        PlatformApply.start(
            program("echo \"$FAIRLEAD_URL $*\" >" + seen + "; cat >>" + seen), SERVICE)) {
      assertThat(apply.apply(file)).isTrue();
    }
    assertThat(seen).hasContent(SERVICE + " run apply -f -\n" + "quotas: [{name: teams}]\n");
  }

  @Test
  void aRefusedFileEndsTheDemo() throws Exception {
    try (PlatformApply apply = PlatformApply.start(program("exit 2"), SERVICE)) {
      assertThatThrownBy(() -> apply.apply(file))
          .isInstanceOf(StartFailed.class)
          .hasMessage("fairlead apply -f " + file + " ended with code 2");
    }
  }

  @Test
  void machineWithoutACommandLineAppliesNothing() throws Exception {
    try (PlatformApply none = PlatformApply.start(directory.resolve("missing"), SERVICE);
        PlatformApply noPackages = PlatformApply.start(program("exit 77"), SERVICE)) {
      assertThat(none.apply(file)).isFalse();
      assertThat(noPackages.apply(file)).isFalse();
    }
  }

  private Path program(String script) throws Exception {
    Path program = Files.writeString(directory.resolve("program"), "#!/bin/sh\n" + script + "\n");
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }
}
