package dev.fairlead.work.workload.kubernetes.kind;

import static dev.fairlead.fleet.cluster.connection.PodDevices.EXTENDED_RESOURCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.kubernetes.front.KindState;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A TrainJob, with the JobSet that the trainer makes of it. */
class MadeObjectTest {
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(1, 2));
  private static final Kind TRAIN_JOB = Kinds.find("trainjob").orElseThrow();
  private static final String SUSPENDED =
      "\nstatus: {conditions: [{type: Suspended, status: \"True\"}]}\n";
  private static final String TRAIN =
      """
      apiVersion: trainer.kubeflow.org/v1alpha1
      kind: TrainJob
      metadata: {name: train, namespace: team-a, uid: u, labels: {fairlead.dev/queue: research}}
      spec:
        suspend: true
        runtimeRef: {name: torch-distributed}
        trainer: {numNodes: 3}
        managedBy: trainer.kubeflow.org/trainjob-controller
        runtimePatches:
        - {manager: me.example/x, trainingRuntimeSpec: {template: {metadata: {labels: {a: b}}}}}
        - {manager: fairlead.dev/reservation, trainingRuntimeSpec: {}}\
      """;

  private static GenericKubernetesResource read(String yaml) {
    return Serialization.unmarshal(yaml, GenericKubernetesResource.class);
  }

  private static KindObject train(String status, String statusOfJobSet) {
    return KindObject.of(
        TRAIN_JOB, read(TRAIN + status), read(KindsTest.object("jobset") + statusOfJobSet));
  }

  /** Fails when the pods of a TrainJob are not reserved as the trainer will create them. */
  @Test
  void rolesAreThoseOfTheJobSet() {
    assertThat(KindDocument.of(TRAIN_JOB, train("", ""), "eu-1", EXTENDED_RESOURCE))
        .isInstanceOfSatisfying(
            FrontRequest.Document.class,
            request ->
                assertThat(request.toString())
                    .contains("\"queue\":\"research\"", "\"name\":\"leader\",\"count\":1")
                    .contains("\"name\":\"worker\",\"count\":6"));
  }

  /** Fails when a start changes patches of others, or keeps nodes of an earlier start. */
  @Test
  void startReplacesOnlyTheEntryOfFairlead() throws KindObject.Unreadable {
    SortedMap<String, SortedSet<String>> nodes = new TreeMap<>();
    nodes.put("leader", new TreeSet<>(List.of("a")));
    nodes.put("worker", new TreeSet<>(List.of("b", "c")));
    JsonNode spec = train("", "").started(ATTEMPT, nodes);
    assertThat(spec.path("suspend").asBoolean(true)).isFalse();
    assertThat(spec.at("/trainer/numNodes").asInt()).isEqualTo(3);
    assertThat(spec.has("replicatedJobs")).isFalse();
    assertThat(spec.path("runtimePatches")).hasSize(2);
    assertThat(spec.at("/runtimePatches/0/manager").asText()).isEqualTo("me.example/x");
    JsonNode jobs = spec.at("/runtimePatches/1/trainingRuntimeSpec/template/spec/replicatedJobs");
    assertThat(jobs).hasSize(2);
    assertThat(jobs.path(1).toString())
        .isEqualTo(
            ("{'name':'worker','template':{'spec':{'template':{'metadata':{'labels':{'fairlead.dev/reserved-by':'%s'},"
                    + "'annotations':{'fairlead.dev/nodes':'b,c'}},"
                    + "'spec':{'nodeSelector':{'fairlead.dev/nodes':'apply-cluster-front-nodes.yaml'}}}}}}")
                .formatted(ATTEMPT.bare())
                .replace('\'', '"'));
  }

  /** Fails when an object is started whose pods the policy of its cluster cannot place. */
  @Test
  void nodesThatThePolicyCannotPlaceAreRefused() throws KindObject.Unreadable {
    SortedMap<String, SortedSet<String>> nodes = new TreeMap<>();
    nodes.put("leader", new TreeSet<>(List.of("a")));
    SortedSet<String> workers = new TreeSet<>();
    for (int i = 0; i < KindObject.MOST_NODES; i++) {
      workers.add("n" + i);
    }
    nodes.put("worker", workers);
    assertThat(train("", "").started(ATTEMPT, nodes).path("suspend").asBoolean(true)).isFalse();
    workers.add("one-more");
    assertThatThrownBy(() -> train("", "").started(ATTEMPT, nodes))
        .isInstanceOf(KindObject.Unreadable.class)
        .hasMessageContainingAll("8001 nodes", "at most 8000 nodes");
  }

  /** Fails when a TrainJob counts as ended while the controller of its JobSet creates pods. */
  @Test
  void bothControllersReportASuspension() {
    Map<KindState.Phase, KindObject> all =
        Map.of(
            KindState.Phase.SUSPENDED,
            train(SUSPENDED, SUSPENDED),
            KindState.Phase.STOPPING,
            train(SUSPENDED, ""));
    all.forEach((phase, object) -> assertThat(object.state().phase()).isEqualTo(phase));
    assertThat(train("", SUSPENDED).state().phase()).isEqualTo(KindState.Phase.STOPPING);
  }

  /** Fails when a TrainJob without its JobSet is reported as unreadable instead of awaited. */
  @Test
  void objectWithoutItsJobSetIsNotComplete() {
    assertThat(KindObject.of(TRAIN_JOB, read(TRAIN)).complete()).isFalse();
    assertThat(train("", "").complete()).isTrue();
  }

  /**
   * Fails when a file names a kind that does not exist, or that is made of another object itself.
   */
  @Test
  void madeKindsExist() {
    assertThat(Kinds.all().stream().map(Kind::made).filter(made -> made != null))
        .isNotEmpty()
        .allMatch(made -> Kinds.of(made).made() == null);
  }
}
