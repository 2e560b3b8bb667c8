package dev.fairlead.work.workload.kubernetes.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.kubernetes.Orders;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodGroupTest {
  private static final String COSCHEDULING = "scheduling.x-k8s.io/v1alpha1";
  private static final String VOLCANO = "scheduling.volcano.sh/v1beta1";

  private static final String KUBERNETES = "scheduling.k8s.io/v1alpha2";

  private static ClusterSettings settings(
      String api, @Nullable String queue, @Nullable String schedulerName) {
    return ClusterSettings.DEFAULT.withBackend(
        new PlacementBackend(PlacementBackend.Kind.POD_GROUP, api, queue, schedulerName));
  }

  private static ConfigMap anchor(LaunchOrder order) {
    ConfigMap anchor = ManifestFactory.anchor(order);
    anchor.getMetadata().setUid("uid-of-the-anchor");
    return anchor;
  }

  private static Pod pod(LaunchOrder order, ClusterSettings settings) {
    return ManifestFactory.pod(
        order, order.attempt().members().getFirst(), anchor(order), settings, null);
  }

  @Test
  void groupOfAnAttemptHasAllItsMembersAndEndsWithIt() {
    LaunchOrder gang = Orders.gang();

    GenericKubernetesResource group =
        ManifestFactory.group(gang, anchor(gang), settings(COSCHEDULING, null, null));

    assertThat(group.getApiVersion()).isEqualTo(COSCHEDULING);
    assertThat(group.<Object>get("spec"))
        .isEqualTo(Map.of("minMember", gang.attempt().members().size()));
    assertThat(group.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(owner -> assertThat(owner.getUid()).isEqualTo("uid-of-the-anchor"));
  }

  @Test
  void aQueueOfVolcanoIsInTheGroup() {
    LaunchOrder gang = Orders.gang();

    GenericKubernetesResource group =
        ManifestFactory.group(gang, anchor(gang), settings(VOLCANO, "research", null));

    assertThat(group.<Object>get("spec", "queue")).isEqualTo("research");
  }

  @Test
  void podsNameTheirGroupIfTheirSchedulerReadsIt() {
    LaunchOrder gang = Orders.gang();
    String name = anchor(gang).getMetadata().getName();

    Pod labelled = pod(gang, settings(COSCHEDULING, null, null));
    Pod annotated = pod(gang, settings(VOLCANO, null, null));

    assertThat(labelled.getMetadata().getLabels())
        .containsEntry("scheduling.x-k8s.io/pod-group", name);
    assertThat(annotated.getMetadata().getAnnotations())
        .containsEntry("scheduling.k8s.io/group-name", name);
  }

  /** Fails when kube-scheduler binds the pods of an attempt one by one. */
  @Test
  void theGroupOfKubernetesHasItsSizeInAPolicyAndItsNameInThePod() {
    LaunchOrder gang = Orders.gang();
    ClusterSettings settings = settings(KUBERNETES, null, null);
    Pod pod = pod(gang, settings);

    assertThat(
            ManifestFactory.group(gang, anchor(gang), settings)
                .<Object>get("spec", "schedulingPolicy", "gang", "minCount"))
        .isEqualTo(gang.attempt().members().size());
    assertThat(pod.getSpec().getSchedulingGroup().getPodGroupName())
        .isEqualTo(anchor(gang).getMetadata().getName());
    assertThat(pod.getSpec().getSchedulerName()).isEqualTo("default-scheduler");
    assertThat(pod(gang, settings(COSCHEDULING, null, null)).getSpec().getSchedulingGroup())
        .isNull();
  }

  @Test
  void schedulerHasItsDefaultNameUnlessTheClusterSetsAnother() {
    LaunchOrder gang = Orders.gang();

    assertThat(pod(gang, settings(VOLCANO, null, null)).getSpec().getSchedulerName())
        .isEqualTo("volcano");
    assertThat(pod(gang, settings(VOLCANO, null, "volcano-2")).getSpec().getSchedulerName())
        .isEqualTo("volcano-2");
  }

  /** Fails when a job of one pod has a group without an owner that removes it. */
  @Test
  void aJobOfOnePodHasAnAnchorForItsGroup() {
    LaunchOrder single = Orders.single();

    assertThat(ManifestFactory.anchored(single, settings(COSCHEDULING, null, null))).isTrue();
    assertThat(ManifestFactory.group(single, anchor(single), ClusterSettings.DEFAULT)).isNull();
  }
}
