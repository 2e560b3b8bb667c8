package dev.fairlead.workload.kubernetes;

import dev.fairlead.cluster.NodeReport;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.MemberKey;
import dev.fairlead.lease.Installation;
import dev.fairlead.resources.ResourceVector;
import dev.fairlead.workload.ObservedMember;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a cluster, from four watches: our pods, our anchors, nodes, and the requests of
 * everybody else's pods. It outlives connections; {@link #watch} fills it from a new one.
 */
final class ClusterView {
  private static final long PAGE = 500;
  private final Installation installation;
  private final Inventory inventory = new Inventory();
  private final WorkloadIndex workloads = new WorkloadIndex(System.currentTimeMillis());
  private final Mirror<Pod, OwnPod> ownPods;
  private final Mirror<ConfigMap, AttemptId> anchors;
  private final Mirror<Node, NodeReport> nodes;
  private final Mirror<Pod, Inventory.ForeignPod> foreignPods;

  private record OwnPod(AttemptId attempt, ObservedMember member) {}

  /**
   * @param changed run after each change
   */
  ClusterView(Installation installation, NodeReports reports, Runnable changed) {
    this.installation = installation;
    ownPods =
        new Mirror<>(
            Pod::new, ClusterView::own, (before, now) -> runIf(ownPod(before, now), changed));
    anchors =
        new Mirror<>(
            ConfigMap::new,
            map -> ObjectLabels.attempt(map).orElse(null),
            (before, now) -> runIf(anchor(before, now), changed));
    nodes =
        new Mirror<>(
            Node::new, reports::of, (before, now) -> runIf(inventory.node(before, now), changed));
    foreignPods =
        new Mirror<>(
            Pod::new,
            ClusterView::foreign,
            (before, now) -> runIf(inventory.foreign(before, now), changed));
  }

  Inventory inventory() {
    return inventory;
  }

  WorkloadIndex workloads() {
    return workloads;
  }

  /** Starts the watches; each keeps itself up until it is closed. */
  List<SharedIndexInformer<?>> watch(KubernetesClient client) {
    String ours = installation.label();
    List<SharedIndexInformer<?>> informers = new ArrayList<>();
    informers.add(
        start(client.pods().inAnyNamespace().withLabel(ObjectLabels.INSTALLATION, ours), ownPods));
    informers.add(
        start(
            client
                .configMaps()
                .inAnyNamespace()
                .withLabel(ObjectLabels.INSTALLATION, ours)
                .withLabel(ObjectLabels.ATTEMPT),
            anchors));
    informers.add(start(client.nodes(), nodes));
    informers.add(
        start(
            client
                .pods()
                .inAnyNamespace()
                .withLabelNotIn(ObjectLabels.INSTALLATION, ours)
                .withoutField("spec.nodeName", "")
                .withoutField("status.phase", "Succeeded")
                .withoutField("status.phase", "Failed"),
            foreignPods));
    return informers;
  }

  private static <T extends HasMetadata> SharedIndexInformer<T> start(
      Informable<T> resources, Mirror<T, ?> mirror) {
    SharedIndexInformer<T> informer =
        resources
            .withLimit(PAGE)
            .runnableInformer(0)
            .itemStore(mirror)
            .exceptionHandler((started, error) -> true);
    informer.start();
    return informer;
  }

  private boolean ownPod(@Nullable OwnPod before, @Nullable OwnPod now) {
    OwnPod known = now != null ? now : before;
    if (known == null) {
      return false;
    }
    MemberKey key = known.member().key();
    return workloads.member(known.attempt(), key, Optional.ofNullable(now).map(OwnPod::member));
  }

  private boolean anchor(@Nullable AttemptId before, @Nullable AttemptId now) {
    AttemptId attempt = now != null ? now : before;
    return attempt != null && workloads.others(attempt, now != null);
  }

  private static @Nullable OwnPod own(Pod pod) {
    // Labels can be forged wherever somebody may create pods; our namespaces are ours.
    if (!pod.getMetadata().getNamespace().startsWith(Namespaces.PREFIX)) {
      return null;
    }
    Optional<AttemptId> attempt = ObjectLabels.attempt(pod);
    Optional<ObservedMember> member = PodObservations.of(pod);
    return attempt.isPresent() && member.isPresent()
        ? new OwnPod(attempt.get(), member.get())
        : null;
  }

  private static Inventory.@Nullable ForeignPod foreign(Pod pod) {
    if (pod.getSpec() == null || pod.getSpec().getNodeName() == null) {
      return null;
    }
    ResourceVector asked = Amounts.asked(pod);
    String key = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    return new Inventory.ForeignPod(key, pod.getSpec().getNodeName(), asked);
  }

  private static void runIf(boolean changed, Runnable listener) {
    if (changed) {
      listener.run();
    }
  }
}
