package dev.fairlead.work.workload.kubernetes.pod;

import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.GpuOffer;
import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.fleet.node.CapacityLabels;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.kubernetes.dra.GpuClaims;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirementBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Pods with a node that a scheduler of the cluster chooses. The node needs the pool, the GPU model
 * and the capacity type of the planned node, because the quota was charged for them.
 */
public final class BackendPods {
  /** Label with the LocalQueue (https://kueue.sigs.k8s.io/docs/tasks/run/plain_pods). */
  static final String QUEUE = "kueue.x-k8s.io/queue-name";

  static final String GROUP = "kueue.x-k8s.io/pod-group-name";
  static final String GROUP_SIZE = "kueue.x-k8s.io/pod-group-total-count";

  /** Fairlead replaces failed pods by a new attempt, never in the same group. */
  static final String RETRIABLE = "kueue.x-k8s.io/retriable-in-group";

  /** Gate that Kueue removes from admitted pods. */
  static final String ADMISSION = "kueue.x-k8s.io/admission";

  /** Value of the label on a pod with a claim for its GPUs. */
  private static final String CLAIMS = "resource-claim";

  private static final String GATED = "SchedulingGated";
  private static final String SCHEDULED = "PodScheduled";

  private BackendPods() {}

  static void label(
      ObjectMetaBuilder meta, LaunchOrder order, ClusterSettings settings, Member member) {
    PlacementBackend backend = settings.backend();
    if (GpuClaims.claimed(settings.devices(), PodSpecs.role(order.job().spec(), member), member)) {
      meta.addToLabels(ObjectLabels.SCHEDULED_BY, CLAIMS);
    }
    if (!backend.choosesNodes()) {
      return;
    }
    meta.addToLabels(ObjectLabels.SCHEDULED_BY, backend.kind().word());
    String group = ObjectNames.attempt(order.attempt().id());
    PodGroupApi podGroups = backend.podGroups();
    if (podGroups != null) {
      switch (podGroups.reference()) {
        case LABEL -> meta.addToLabels(podGroups.key(), group);
        case ANNOTATION -> meta.addToAnnotations(podGroups.key(), group);
        case SPEC -> {}
      }
    } else if (backend.queue() != null) {
      meta.addToLabels(QUEUE, backend.queue())
          .addToLabels(GROUP, group)
          .addToAnnotations(GROUP_SIZE, size(order))
          .addToAnnotations(RETRIABLE, "false");
    }
  }

  private static String size(LaunchOrder order) {
    return Integer.toString(order.attempt().members().size());
  }

  /**
   * The PodGroup of an attempt, whose pods start together or not at all. The result is null if the
   * scheduler of the cluster has no PodGroups.
   *
   * @param meta with the name of the attempt
   */
  static @Nullable GenericKubernetesResource group(
      LaunchOrder order, ObjectMeta meta, ClusterSettings settings) {
    PlacementBackend backend = settings.backend();
    PodGroupApi podGroups = backend.podGroups();
    if (podGroups == null) {
      return null;
    }
    SortedMap<String, Object> spec = new TreeMap<>();
    Object size = order.attempt().members().size();
    for (String field : podGroups.size().subList(1, podGroups.size().size()).reversed()) {
      size = new TreeMap<>(Map.of(field, size));
    }
    spec.put(podGroups.size().getFirst(), size);
    if (backend.queue() != null && podGroups.queue() != null) {
      spec.put(podGroups.queue(), backend.queue());
    }
    GenericKubernetesResource group = new GenericKubernetesResource();
    group.setApiVersion(podGroups.name());
    group.setKind(PodGroupApi.KIND);
    group.setMetadata(meta);
    group.setAdditionalProperty("spec", spec);
    return group;
  }

  /**
   * Adds the scheduler, the group and the permitted nodes. A gate withholds the pod from the
   * scheduler until Kueue has admitted it, even while Kueue is down.
   *
   * @param planned node of the plan, null if unknown
   */
  static void schedule(
      PodSpecBuilder pod,
      LaunchOrder order,
      ClusterSettings settings,
      @Nullable NodeReport planned) {
    PlacementBackend backend = settings.backend();
    PodGroupApi podGroups = backend.podGroups();
    if (backend.schedulerName() != null) {
      pod.withSchedulerName(backend.schedulerName());
    } else if (podGroups != null) {
      pod.withSchedulerName(podGroups.schedulerName());
    }
    if (podGroups != null && podGroups.reference() == PodGroupApi.Reference.SPEC) {
      pod.withNewSchedulingGroup(ObjectNames.attempt(order.attempt().id()));
    }
    if (backend.kind() == PlacementBackend.Kind.KUEUE) {
      pod.addNewSchedulingGate(ADMISSION);
    }
    if (planned != null) {
      pod.withAffinity(like(planned));
    }
  }

  private static Affinity like(NodeReport planned) {
    SortedSet<String> labels = new TreeSet<>(List.of(GpuOffer.PRODUCT, NodeLabelsAndTaints.POOL));
    CapacityLabels.table().forEach(rule -> labels.add(rule.label()));
    List<NodeSelectorRequirement> same = new ArrayList<>();
    for (String label : labels) {
      String value = planned.labels().get(label);
      NodeSelectorRequirementBuilder requirement =
          new NodeSelectorRequirementBuilder().withKey(label);
      same.add(
          value == null
              ? requirement.withOperator("DoesNotExist").build()
              : requirement.withOperator("In").withValues(value).build());
    }
    return new AffinityBuilder()
        .withNewNodeAffinity()
        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
        .addNewNodeSelectorTerm()
        .withMatchExpressions(same)
        .endNodeSelectorTerm()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endNodeAffinity()
        .build();
  }

  /** The next step for a pod that waits for its GPUs. */
  private static String claim(Pod pod) {
    return ". Its GPUs are in a ResourceClaim: kubectl describe resourceclaim -n %s %s"
        .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName());
  }

  /** Reason of a pod that waits for its node, as the scheduler reports it, null for other pods. */
  static @Nullable String waits(Pod pod) {
    var labels = pod.getMetadata().getLabels();
    String backend = labels == null ? null : labels.get(ObjectLabels.SCHEDULED_BY);
    boolean bound = pod.getSpec() == null || pod.getSpec().getNodeName() != null;
    if (backend == null || bound || pod.getMetadata().getDeletionTimestamp() != null) {
      return null;
    }
    PodCondition condition =
        pod.getStatus() == null || pod.getStatus().getConditions() == null
            ? null
            : pod.getStatus().getConditions().stream()
                .filter(c -> SCHEDULED.equals(c.getType()))
                .findFirst()
                .orElse(null);
    if (condition != null && GATED.equals(condition.getReason())) {
      return Member.AWAITS_NODE + " " + backend + " has not admitted the pods yet";
    }
    return Member.AWAITS_NODE
        + (condition == null || condition.getMessage() == null
            ? " the scheduler of the cluster has not processed the pod yet"
            : " the scheduler of the cluster reports: "
                + condition.getMessage().replaceFirst("[. ]+$", ""))
        + (backend.equals(CLAIMS) ? claim(pod) : "");
  }
}
