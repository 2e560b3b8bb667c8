package dev.fairlead.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start uses the class cache of the work tree only if it is newer than the build. */
class ServiceCacheTest {
  private static final Instant BUILT = Instant.parse("2026-03-01T10:00:00Z");
  private static final String CLASSES = "api/target/classes:domain/target/classes:lib/spring.jar";

  @TempDir Path tree;

  @BeforeEach
  void aBuild() throws IOException {
    file("pom.xml", "<project>\n  <version>1.2</version>\n</project>\n");
    file("api/target/classpath.txt", "domain/target/classes:lib/spring.jar");
    file("api/target/fairlead-api-1.2.jar", "");
    file("api/target/fairlead-api-1.2-exec.jar", "");
    file("domain/target/fairlead-domain-1.2.jar", "");
    file("lib/spring.jar", "");
    file("verify/target/build.stamp", "");
    Path script = file("tools/service-cache", "");
    Files.writeString(script, Files.readString(WorkTree.root().resolve("tools/service-cache")));
    Files.setLastModifiedTime(script, FileTime.from(BUILT.minusSeconds(60)));
  }

  private Path file(String name, String text) throws IOException {
    Path file = tree.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.from(BUILT));
    return file;
  }

  private void cacheMade(Instant at) throws IOException {
    Files.setLastModifiedTime(file("build/service.aot", ""), FileTime.from(at));
  }

  private String prints(String argument) throws IOException, InterruptedException {
    Process script =
        new ProcessBuilder("bash", tree.resolve("tools/service-cache").toString(), argument)
            .redirectErrorStream(true)
            .start();
    String printed =
        new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(script.waitFor()).as(printed).isZero();
    return printed;
  }

  @Test
  void currentCacheIsUsedWithTheJarsOfTheBuild() throws Exception {
    cacheMade(BUILT.plusSeconds(60));
    assertThat(prints("file")).isEqualTo(tree.resolve("build/service.aot").toString());
    assertThat(prints("classpath").replace(tree.toRealPath() + "/", ""))
        .isEqualTo(
            "api/target/fairlead-api-1.2.jar:domain/target/fairlead-domain-1.2.jar:lib/spring.jar");
  }

  @Test
  void olderCacheIsNotUsed() throws Exception {
    cacheMade(BUILT.minusSeconds(60));
    assertThat(prints("file")).isEmpty();
    assertThat(prints("classpath")).isEqualTo(CLASSES);
  }

  @Test
  void missingCacheIsNotUsed() throws Exception {
    assertThat(prints("file")).isEmpty();
    assertThat(prints("classpath")).isEqualTo(CLASSES);
  }
}
