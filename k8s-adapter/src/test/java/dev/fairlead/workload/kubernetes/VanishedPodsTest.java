package dev.fairlead.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.job.AttemptId;
import dev.fairlead.job.MemberKey;
import dev.fairlead.job.ObjectNames;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Fails when the watch of pods by their labels is the last word on what is there. */
class VanishedPodsTest {
  private static final String PATCH = "PATCH";
  private final AttemptId attempt = new AttemptId(new UUID(1, 2));
  private final MemberKey key = new MemberKey("worker", 0, 0);
  private final ClusterCalls calls = new ClusterGates(Duration.ofSeconds(10), null).open("one");
  private final VanishedPods vanished = new VanishedPods(Orders.INSTALLATION, calls, Runnable::run);
  private final CompletableFuture<Boolean> gone = new CompletableFuture<>();
  private final CompletableFuture<Boolean> patched = new CompletableFuture<>();

  @AfterEach
  void close() {
    calls.close();
  }

  @Test
  void aPodWhoseLabelsWereChangedGetsThemBackAndIsNotGone() throws Exception {
    look("uid", ObjectLabels.of(Orders.INSTALLATION, attempt, key));
    assertThat(patched).isCompleted();
    assertThat(gone).isNotDone();
  }

  @Test
  void aPodThatIsNotThereAnyMoreIsGone() throws Exception {
    look(null, Map.of());
    assertThat(gone).isCompleted();
  }

  @Test
  void anotherPodOfTheNameIsLeftAlone() throws Exception {
    look("another", Map.of());
    assertThat(gone).isCompleted();
    assertThat(patched).isNotDone();
  }

  /** Fails when a pod counts as seen whose labels a policy of its cluster changes each time. */
  @Test
  void aPodThatDoesNotKeepItsLabelsIsGone() throws Exception {
    look("uid", Map.of());
    assertThat(patched).isCompleted();
    assertThat(gone).isCompleted();
  }

  /** Fails when labels are given back without end to a pod from which something takes them. */
  @Test
  void aPodThatLosesItsLabelsAgainAndAgainIsGone() throws Exception {
    for (int i = 0; i < VanishedPods.MOST_RESTORED; i++) {
      look("uid", ObjectLabels.of(Orders.INSTALLATION, attempt, key));
      assertThat(gone).isNotDone();
    }
    look("uid", ObjectLabels.of(Orders.INSTALLATION, attempt, key));
    assertThat(gone).isCompleted();
  }

  @Test
  void withoutAConnectionItIsGoneAtOnce() {
    vanished.look("fairlead-nlp", attempt, key, "uid", () -> gone.complete(true));
    assertThat(gone).isCompleted();
  }

  private void look(String uid, Map<String, String> kept) throws Exception {
    try (FakeApiServer server =
            new FakeApiServer((exchange, n) -> {
              if (uid == null) {
                FakeApiServer.send(exchange, 404, FakeApiServer.status(404, "NotFound"));
                return;
              }
              boolean patch = exchange.getRequestMethod().equals(PATCH);
              if (patch) {
                patched.complete(true);
              }
              Pod there = pod(uid, patch ? kept : Map.of());
              FakeApiServer.send(exchange, 200, Serialization.asJson(there));
            });
        KubernetesClient client = server.client()) {
      vanished.through(client);
      vanished.look("fairlead-nlp", attempt, key, "uid", () -> gone.complete(true));
    }
  }

  private Pod pod(String uid, Map<String, String> labels) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(ObjectNames.pod(attempt, key))
        .withNamespace("fairlead-nlp")
        .withUid(uid)
        .withLabels(labels)
        .withFinalizers(ObjectLabels.TRACKING)
        .endMetadata()
        .build();
  }
}
