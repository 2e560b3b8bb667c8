package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.launcher.WorkTree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds of make demo, in a work tree with programs that only record their calls. */
class DemoBuildTest {
  @TempDir Path tree;

  @BeforeEach
  void createWorkTree() throws IOException {
    Files.copy(WorkTree.root().resolve("Makefile"), tree.resolve("Makefile"));
    Files.writeString(tree.resolve("pom.xml"), "");
    program("tools/jdk25", "echo jdk");
    program("tools/service-cache", "exit 0");
    program("jdk/bin/java", "echo started");
    program(
        "mvnw",
        "mkdir -p verify/target tools/launcher/target; touch tools/launcher/target/classpath.txt; "
            + "echo built; ! test -e broken");
  }

  private void program(String name, String command) throws IOException {
    Path file = tree.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/usr/bin/env bash\n" + command + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private List<String> make(String... arguments) throws IOException, InterruptedException {
    ProcessBuilder make = new ProcessBuilder("make").directory(tree.toFile());
    make.command().addAll(List.of(arguments));
    make.environment().keySet().removeAll(List.of("MAKEFLAGS", "MFLAGS", "MAKELEVEL"));
    Process process = make.redirectErrorStream(true).start();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int _ = process.waitFor();
    return printed.lines().filter(List.of("built", "started")::contains).toList();
  }

  @Test
  void laterDemoStartsWithoutABuild() throws Exception {
    assertThat(make("demo", "ONCE=1")).containsExactly("built", "started");
    assertThat(make("demo", "ONCE=1")).containsExactly("started");
  }

  /** Fails when the demo starts with the classes that a failed or interrupted build left. */
  @Test
  void demoAfterAFailedBuildBuildsAgain() throws Exception {
    assertThat(make("demo", "ONCE=1")).containsExactly("built", "started");
    Files.writeString(tree.resolve("broken"), "");
    assertThat(make("build")).containsExactly("built");
    assertThat(make("demo", "ONCE=1")).containsExactly("built");
    Files.delete(tree.resolve("broken"));
    assertThat(make("demo", "ONCE=1")).containsExactly("built", "started");
  }
}
