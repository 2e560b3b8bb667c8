package dev.fairlead.work.workload.kubernetes.kind;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.SeenJob;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.ForeignPods;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.RealCluster;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Objects whose controllers pass no node affinity to their pods, on a real control plane. */
@OnControlPlane
class InPlaceNodesIT extends InPlaceScene {
  private static final String TRAIN =
      "{suspend: true, runtimeRef: {name: torch}, runtimePatches: [{manager: me.example/x}]}";
  private static final String ENTRY =
      """
      {"manager": "fairlead.dev/reservation", "trainingRuntimeSpec": {"template": {"spec":
      {"replicatedJobs": [{"name": "worker", "template": {"spec": {"template": {
      "metadata": {"labels": {"fairlead.dev/reserved-by": "a"}, "annotations": {"fairlead.dev/nodes": "n"}},
      "spec": {"nodeSelector": {"fairlead.dev/nodes": "x"}}}}}}]}}}}
      """;

  /** Changes of the entry, as the text to replace and the new text. */
  private static final String[] FOREIGN_CHANGES = {
    "\"labels\": {|\"labels\": {\"a\": \"b\", ",
    "\"annotations\": {|\"annotations\": {\"a\": \"b\", ",
    "\"nodeSelector\": {|\"nodeSelector\": {\"a\": \"b\", ",
    "\"spec\": {\"nodeSelector\"|\"spec\": {\"serviceAccountName\": \"admin\", \"nodeSelector\"",
    "\"name\": \"worker\"|\"name\": \"worker\", \"replicas\": 9",
    "fairlead.dev/reservation|other.example/x"
  };

  private static Pod pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(SPACE)
        .withName("annotated")
        .addToLabels(KindObject.RESERVED, "a")
        .addToAnnotations(KindObject.NODES, "gpu-1.example,gpu-2.example")
        .endMetadata()
        .withSpec(
            ForeignPods.spec("x")
                .edit()
                .withNodeName(null)
                .addToNodeSelector("disk", "ssd")
                .addToNodeSelector(KindObject.NODES, KindObject.UNPLACED)
                .build())
        .build();
  }

  /** Fails when pods of an annotated template run on nodes without a reservation. */
  @Test
  void policyMakesANodeAffinityOfTheAnnotation() {
    cluster.withdraws(NODES_POLICY);
    RealCluster.eventually(
        "the policy is no longer in force",
        () -> cluster.admin().resource(pod()).dryRun().create().getSpec().getAffinity() == null);
    assertThat(cluster.admin().resource(pod()).dryRun().create().getSpec().getNodeSelector())
        .as("no node has this label")
        .containsEntry(KindObject.NODES, KindObject.UNPLACED);
    cluster.applies(NODES_POLICY);
    RealCluster.eventually(
        "the policy is in force",
        () -> cluster.admin().resource(pod()).dryRun().create().getSpec().getAffinity() != null);
    Pod placed = cluster.admin().resource(pod()).dryRun().create();
    assertThat(placed.getSpec().getNodeSelector()).containsOnlyKeys("disk");
    assertThat(terms(placed))
        .extracting(InPlaceNodesIT::node)
        .containsExactly("metadata.name In [gpu-1.example]", "metadata.name In [gpu-2.example]");
    Pod other =
        new PodBuilder(pod())
            .editMetadata()
            .removeFromLabels(KindObject.RESERVED)
            .endMetadata()
            .build();
    assertThat(cluster.admin().resource(other).dryRun().create().getSpec().getAffinity())
        .as("a pod without a reservation")
        .isNull();
    String all =
        IntStream.range(0, KindObject.MOST_NODES)
            .mapToObj("gpu-%020d"::formatted)
            .collect(joining(","));
    Pod large =
        new PodBuilder(pod())
            .editMetadata()
            .addToAnnotations(KindObject.NODES, all)
            .endMetadata()
            .build();
    assertThat(terms(cluster.admin().resource(large).dryRun().create()))
        .as("the nodes of the largest object")
        .hasSize(KindObject.MOST_NODES);
  }

  private static List<NodeSelectorTerm> terms(Pod pod) {
    return pod.getSpec()
        .getAffinity()
        .getNodeAffinity()
        .getRequiredDuringSchedulingIgnoredDuringExecution()
        .getNodeSelectorTerms();
  }

  /**
   * Fails when an object is started on a cluster that does not place its pods, which then wait for
   * a node forever.
   */
  @Test
  void objectWaitsForThePolicyThatPlacesItsPods() {
    SeenJob held = heldJobSet();
    LaunchOrder order = order(held, 1);
    WorkloadAction launch = new WorkloadAction.Launch(order.attempt().id(), order);
    cluster.withdraws(NODES_POLICY);
    RealCluster.eventually(
        "without the file, it is not started",
        () ->
            gateway.apply(launch)
                    instanceof ActionOutcome.Refused(ActionOutcome.Why why, String message)
                && why == ActionOutcome.Why.NOT_NOW
                && message.contains("kubectl apply -f deploy/cluster-front-nodes.yaml"));
    cluster.applies(NODES_POLICY);
    assertThat(object("jobset").toString()).contains("suspend=true");
    RealCluster.eventually("it is started", () -> gateway.apply(launch).equals(DONE));
    assertThat(object("jobset").toString()).contains("suspend=false");
  }

  private static String node(NodeSelectorTerm term) {
    var field = term.getMatchFields().getFirst();
    return "%s %s %s".formatted(field.getKey(), field.getOperator(), field.getValues());
  }

  /**
   * Fails when a TrainJob starts without its JobSet, on other nodes, or counts as ended before both
   * controllers have reported that and its last pod is gone.
   */
  @Test
  void trainJobStartsAndEndsWithItsJobSet() {
    cluster.apply(manifest("trainjob", TRAIN));
    SeenJob held = done(front.hold(seen("trainjob")));
    assertThat(front.read(SPACE, held.name(), held.uid()))
        .isInstanceOfSatisfying(
            FrontAnswer.Refused.class,
            refused -> assertThat(refused.message()).contains("has not created"));
    cluster.apply(
        manifest(
                "jobset",
                "{suspend: true, replicatedJobs: [{name: worker, replicas: 2, template: {spec: {template: POD}}}]}")
            .replace(
                "labels: {fairlead.dev/queue: research}",
                "ownerReferences: [{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob, name: train, controller: true, uid: %s}]"
                    .formatted(held.uid())));
    assertThat(front.read(SPACE, held.name(), held.uid()))
        .isInstanceOfSatisfying(
            FrontAnswer.Read.class,
            read ->
                assertThat(read.request().toString()).contains("\"name\":\"worker\",\"count\":2"));
    LaunchOrder order = order(held, 2);
    WorkloadAction launch = new WorkloadAction.Launch(order.attempt().id(), order);
    status("trainjob", SUSPENDED.formatted("True"));
    RealCluster.eventually(
        "its JobSet is not reported as suspended",
        () ->
            gateway.apply(launch) instanceof ActionOutcome.Unavailable(String why)
                && why.contains("has not reported"));
    assertThat(object("trainjob").toString()).contains("suspend=true");
    status("jobset", SUSPENDED.formatted("True"));
    assertThat(RealCluster.answered(gateway, launch)).isEqualTo(DONE);
    assertThat(object("trainjob").toString())
        .contains("suspend=false", nodes.get(0) + "," + nodes.get(1), "me.example/x");
    assertThat(object("jobset").toString())
        .as("the trainer changes its JobSet")
        .contains("suspend=true")
        .doesNotContain(nodes.getFirst());

    status("trainjob", SUSPENDED.formatted("False"));
    eventually(order, "it runs", MemberState.RUNNING, false);
    pod("of-train", order.attempt().id().bare(), true);
    try {
      RealCluster.eventually(
          "its pod explains a member",
          () ->
              members(order).stream()
                  .map(ObservedMember::reason)
                  .anyMatch(reason -> reason != null && reason.startsWith("pod of-train")));
      assertThat(stop(order)).isEqualTo(DONE);
      status("trainjob", SUSPENDED.formatted("True"));
      RealCluster.pause(Duration.ofMillis(500));
      eventually(order, "its pod still runs", MemberState.RUNNING, true);
    } finally {
      cluster.kubectl("-n", SPACE, "delete", "pod", "of-train", "--grace-period=0", "--force");
    }
    eventually(order, "its last pod is gone", MemberState.FAILED, true);
  }

  /** Fails when a stolen identity changes the program of a TrainJob by a patch of its JobSet. */
  @Test
  void patchOfATrainJobHasOnlyTheNodesOfItsPods() {
    cluster.apply(manifest("trainjob", TRAIN));
    try (KubernetesClient fairlead =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(cluster.kubeconfig()))
            .build()) {
      RealCluster.eventually(
          "the policy is in force",
          () -> denied(fairlead, "{\"op\":\"add\",\"path\":\"/spec/added\",\"value\":1}"));
      assertThat(denied(fairlead, added(ENTRY))).isFalse();
      assertThat(Stream.of(FOREIGN_CHANGES))
          .allMatch(change -> {
            String[] words = change.split("\\|", -1);
            return denied(fairlead, added(ENTRY.replace(words[0], words[1])));
          });
      assertThat(denied(fairlead, "{\"op\":\"remove\",\"path\":\"/spec/runtimePatches/0\"}"))
          .isTrue();
    }
  }

  private static String added(String entry) {
    return "{\"op\":\"add\",\"path\":\"/spec/runtimePatches/-\",\"value\":" + entry + "}";
  }

  private static boolean denied(KubernetesClient fairlead, String operation) {
    try {
      GenericKubernetesResource _ =
          KindForm.named(kind("trainjob"), fairlead, SPACE, "train")
              .dryRun()
              .patch(PatchContext.of(PatchType.JSON), "[" + operation + "]");
      return false;
    } catch (KubernetesClientException refused) {
      assertThat(refused.getMessage()).contains("fairlead-front-kinds");
      return true;
    }
  }
}
