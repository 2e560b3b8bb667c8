package dev.fairlead.fleet.cluster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFileTest {
  private static final int REPLICAS = 8;

  /**
   * Fails when the file is created at its first use: concurrent first requests would use two keys.
   */
  @Test
  void replicasStartingTogetherWithoutAFileShareOneKey(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("key");
    Callable<String> start =
        () ->
            Base64.getEncoder()
                .encodeToString(
                    new KeyFile(new KeySettings(file.toString())).derived("x").orElseThrow());
    Set<String> keys = new TreeSet<>();
    try (ExecutorService replicas = Executors.newFixedThreadPool(REPLICAS)) {
      for (Future<String> key : replicas.invokeAll(Collections.nCopies(REPLICAS, start))) {
        keys.add(key.get());
      }
    }

    assertThat(keys).hasSize(1);
    try (var left = Files.list(directory)) {
      assertThat(left).containsExactly(file);
    }
  }

  @Test
  void noKeyExistsWithoutAFile() {
    assertThat(new KeyFile(new KeySettings("")).derived("x")).isEmpty();
  }
}
