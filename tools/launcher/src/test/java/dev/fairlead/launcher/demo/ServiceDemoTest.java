package dev.fairlead.launcher.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.ScriptedApi;
import dev.fairlead.launcher.ScriptedApi.Answer;
import dev.fairlead.launcher.WorkTree;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ServiceDemoTest {
  private static final String PATH = "/api/v1/projects/default/services/chat";
  private final List<String> printed = new ArrayList<>();
  private final AtomicInteger applied = new AtomicInteger();

  /** A service that rolls the second version back, or leaves it in traffic. */
  private Answer answer(String request, boolean rollsBack) {
    if (request.equals("PUT " + PATH)) {
      applied.incrementAndGet();
    }
    String rollout =
        applied.get() < 2
            ? "null"
            : "{\"phase\": \"%s\", \"reason\": \"version 2 at 20 %%: 9 of 80 requests bad\"}"
                .formatted(rollsBack ? "ROLLED_BACK" : "OBSERVING");
    return Answer.ok(
        "{\"stableVersion\": 1, \"backends\": [{\"version\": 1, \"weight\": %d, \"ready\": 3}], \"rollout\": %s}"
            .formatted(applied.get() < 2 || rollsBack ? 100 : 80, rollout));
  }

  private boolean played(boolean rollsBack, List<String> requests) throws Exception {
    try (ScriptedApi server = new ScriptedApi(request -> answer(request, rollsBack));
        FairleadApi api = server.client()) {
      boolean good =
          new ServiceDemo(
                  api,
                  WorkTree.root().resolve("examples/services"),
                  printed::add,
                  Duration.ofMillis(300))
              .play();
      requests.addAll(server.requests);
      return good;
    }
  }

  @Test
  void aBadVersionIsShownAsRolledBack() throws Exception {
    List<String> requests = new ArrayList<>();
    assertThat(played(true, requests)).isTrue();
    assertThat(printed)
        .anySatisfy(
            line -> assertThat(line).contains("Service chat: version 1 has 100 %", "3 replicas"))
        .last()
        .asString()
        .contains("ROLLED_BACK: version 2 at 20 %");
    assertThat(requests).last().isEqualTo("DELETE " + PATH);
  }

  @Test
  void persistentBadVersionIsADifference() throws Exception {
    assertThat(played(false, new ArrayList<>())).isFalse();
  }
}
