package dev.fairlead.fleet.cluster.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.problem.FieldProblem;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackendRequestTest {
  private static final String SHOWN = "nodeLabelsAndTaints: POOL_AND_QUARANTINE, backend: ";
  private final FieldProblems problems = new FieldProblems();

  private PlacementBackend read(String cluster) throws IOException {
    String yaml = "{" + cluster + "}";
    return BodyBinder.read(
            BodyReader.yaml(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .value(problems),
            UpdateClusterRequest.class)
        .orElseThrow()
        .settings()
        .backend();
  }

  @Test
  void withoutABackendFairleadChoosesTheNodes() throws IOException {
    assertThat(read("scoring: SPREAD")).isEqualTo(PlacementBackend.FAIRLEAD);
    assertThat(problems.all()).isEmpty();
  }

  @Test
  void allFieldsOfABackendAreRead() throws IOException {
    assertThat(read(SHOWN + "{kind: KUEUE, queue: train, schedulerName: packing}"))
        .isEqualTo(new PlacementBackend(PlacementBackend.Kind.KUEUE, null, "train", "packing"));
    assertThat(problems.all()).isEmpty();
  }

  @Test
  void schedulerWithPodGroupsRequiresItsQueueAndName() throws IOException {
    String volcano = "scheduling.volcano.sh/v1beta1";
    PlacementBackend read = read(SHOWN + "{kind: POD_GROUP, api: " + volcano + ", queue: train}");

    assertThat(problems.all()).isEmpty();
    assertThat(read)
        .isEqualTo(new PlacementBackend(PlacementBackend.Kind.POD_GROUP, volcano, "train", null));
    assertThat(BackendRequest.of(read))
        .containsEntry("api", volcano)
        .containsEntry("queue", "train");
  }

  @Test
  void unknownPodGroupKindIsRejectedWithTheKnownOnes() throws IOException {
    read(SHOWN + "{kind: POD_GROUP, api: scheduling.run.ai/v2alpha2}");

    assertThat(problems.all())
        .singleElement()
        .satisfies(
            problem -> assertThat(problem.detail()).contains("scheduling.x-k8s.io/v1alpha1"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{queue: train} | /backend/kind",
        "{kind: VOLCANO} | /backend/kind",
        "{kind: KUEUE} | /backend/queue",
        "{kind: KUEUE, queue: ''} | /backend/queue",
        "{kind: KUEUE, queue: Train_1} | /backend/queue",
        "{kind: KUBE_SCHEDULER, queue: train} | /backend/queue",
        "{kind: POD_GROUP} | /backend/api",
        "{kind: KUEUE, queue: train, api: scheduling.volcano.sh/v1beta1} | /backend/api",
        "{kind: POD_GROUP, api: scheduling.x-k8s.io/v1alpha1, queue: train} | /backend/queue",
        "{kind: KUBE_SCHEDULER, schedulerName: 'two words'} | /backend/schedulerName",
        "{kind: FAIRLEAD, schedulerName: packing} | /backend/schedulerName",
        "{kind: KUBE_SCHEDULER, scheduler: packing} | /backend/scheduler"
      })
  void invalidFieldIsRejectedWithItsPath(String backend, String pointer) throws IOException {
    read(SHOWN + backend);

    assertThat(problems.all()).extracting(FieldProblem::pointer).contains(pointer);
  }

  @Test
  void anotherSchedulerNeedsPoolsAndQuarantinesAsLabels() throws IOException {
    read("backend: {kind: KUBE_SCHEDULER}");

    assertThat(problems.all())
        .singleElement()
        .satisfies(problem -> assertThat(problem.pointer()).isEqualTo("/nodeLabelsAndTaints"));
  }
}
