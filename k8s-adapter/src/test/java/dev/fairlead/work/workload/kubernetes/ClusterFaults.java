package dev.fairlead.work.workload.kubernetes;

import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Faults on a cluster that Fairlead does not cause, with the rights of an administrator. */
public final class ClusterFaults {
  private static final String OTHERS = "others";
  private static final long PATIENCE_SECONDS = 60;
  private final TestCluster cluster;
  private final KubernetesClient admin;

  public ClusterFaults(TestCluster cluster) {
    this.cluster = cluster;
    this.admin = cluster.admin();
  }

  /** Like {@code kubectl delete pod}. */
  public void deletePod(String namespace, String pod) {
    admin.pods().inNamespace(namespace).withName(pod).delete();
  }

  /**
   * Like {@code kubectl delete pod --force} and, since that command waits for finalizers, without
   * the finalizers: the object is deleted immediately, regardless of its process.
   */
  public void forceDeletePod(String namespace, String pod) {
    PodResource there = admin.pods().inNamespace(namespace).withName(pod);
    there.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}");
    there.withGracePeriod(0).delete();
  }

  /** Returns whether an object of that name exists. */
  public boolean hasPod(String namespace, String pod) {
    return admin.pods().inNamespace(namespace).withName(pod).get() != null;
  }

  /** The node reports a new boot ID, as after a crash. */
  public void boot(String node, String bootId) {
    status(node, "{\"status\":{\"nodeInfo\":{\"bootID\":\"%s\"}}}".formatted(bootId));
  }

  /** The node's device plugin offers this number of GPUs from now on. */
  public void gpus(String node, int usable) {
    status(node, "{\"status\":{\"allocatable\":{\"nvidia.com/gpu\":\"%d\"}}}".formatted(usable));
  }

  /**
   * Like {@code kubectl taint}: an operator states, correctly, that the machine is off. The taint
   * evicts its pods: a responsive kubelet would end them, and that end could be observed first.
   */
  public void outOfService(String node) {
    cluster.silence(node);
    admin
        .nodes()
        .withName(node)
        .waitUntilCondition(
            there -> !Readiness.isNodeReady(there), PATIENCE_SECONDS, TimeUnit.SECONDS);
    cluster.patch(
        node,
        "{\"spec\":{\"taints\":[{\"key\":\"node.kubernetes.io/out-of-service\",\"value\":\"nodeshutdown\",\"effect\":\"NoExecute\"}]}}");
  }

  /** Like {@code kubectl delete node}. Processes on the node may continue. */
  public void deleteNode(String node) {
    admin.nodes().withName(node).delete();
  }

  /** Like {@code kubectl delete namespace}. Returns immediately, with the namespace Terminating. */
  public void deleteNamespace(String namespace) {
    admin.namespaces().withName(namespace).delete();
  }

  /** Creation time of the namespace, which changes when it is recreated. */
  public String namespaceUid(String namespace) {
    var there = admin.namespaces().withName(namespace).get();
    return there == null ? "" : there.getMetadata().getUid();
  }

  /** Resource version of a watch of pods that is up to date. */
  public String placeInTheWatch() {
    return admin.pods().inAnyNamespace().list().getMetadata().getResourceVersion();
  }

  /** Returns whether the API server answers 410 to a watch of pods from that version. */
  public boolean goneFrom(String place) {
    CompletableFuture<Boolean> gone = new CompletableFuture<>();
    Watcher<Pod> watcher =
        new Watcher<>() {
          @Override
          public void eventReceived(Action action, Pod pod) {
            gone.complete(false);
          }

          @Override
          public void onClose(WatcherException cause) {
            gone.complete(cause.isHttpGone());
          }
        };
    ListOptions from = new ListOptionsBuilder().withResourceVersion(place).build();
    try (Watch watch = admin.pods().inAnyNamespace().watch(from, watcher)) {
      return gone.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }
  }

  /** A foreign pod takes this number of GPUs of the node. */
  public void fill(String node, int gpus) {
    ForeignPods.namespace(cluster, OTHERS);
    Map<String, Quantity> amount = Map.of("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
    PodSpecBuilder spec = new PodSpecBuilder(ForeignPods.spec(node));
    spec.editFirstContainer()
        .editResources()
        .addToRequests(amount)
        .addToLimits(amount)
        .endResources()
        .endContainer();
    create(OTHERS, "fills-" + node, spec);
  }

  /** Removes the objects of {@link #fill}. */
  public void unfill(String node) {
    admin.pods().inNamespace(OTHERS).withName("fills-" + node).withGracePeriod(0).delete();
  }

  /** A foreign pod with that name. */
  public void occupy(String namespace, String pod, String node) {
    create(namespace, pod, new PodSpecBuilder(ForeignPods.spec(node)));
  }

  private void create(String namespace, String name, PodSpecBuilder spec) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(namespace)
            .addToLabels("somebody", "else")
            .endMetadata()
            .withSpec(spec.build())
            .build();
    admin.resource(pod).create();
  }

  private void status(String node, String merge) {
    admin
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), merge);
  }
}
