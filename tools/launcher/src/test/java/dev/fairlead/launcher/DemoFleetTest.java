package dev.fairlead.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.launcher.ScriptedApi.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoFleetTest {
  @Test
  void clustersMatchThePlatformFile() {
    assertThat(DemoFleet.read().text())
        .isEqualTo("eu-1 16 x 8 H100, us-2 8 x 8 H200, edge-3 4 x 4 L4");
  }

  @Test
  void onlyMissingClustersAreRegistered() throws Exception {
    AtomicBoolean registered = new AtomicBoolean();
    try (ScriptedApi server =
            new ScriptedApi(request -> {
              registered.compareAndSet(false, request.startsWith("POST"));
              String added = registered.get() ? ", {\"name\": \"us-2\", \"nodes\": 8}" : "";
              return Answer.ok(
                  "{\"items\": [{\"name\": \"eu-1\", \"nodes\": 16}, "
                      + "{\"name\": \"edge-3\", \"nodes\": 4}"
                      + added
                      + "]}");
            });
        FairleadApi api = server.client()) {
      DemoFleet.read().register(api);
      assertThat(server.requests)
          .containsExactly("GET /api/v1/clusters", "POST /api/v1/clusters", "GET /api/v1/clusters");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "clusters: []", "pools: [{name: a}]", "clusters: [", "- a"})
  void fileWithoutClustersIsRejected(String text, @TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("platform.yaml"), text);
    assertThatThrownBy(() -> DemoFleet.read(file))
        .isInstanceOf(StartFailed.class)
        .hasMessageStartingWith(
            file + (text.endsWith("[") ? " cannot be read" : " has no clusters"));
  }
}
