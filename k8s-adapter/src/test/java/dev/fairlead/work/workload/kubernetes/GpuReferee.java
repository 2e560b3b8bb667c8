package dev.fairlead.work.workload.kubernetes;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Watches every pod of a cluster and, unlike a simulated kubelet, rejects pods that request GPUs
 * which their node no longer has. It records pods that it rejected, and pods that it could no
 * longer reject. Both are over-commitments.
 */
public final class GpuReferee implements AutoCloseable {
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");
  private final KubernetesClient admin;
  private final Map<String, Long> capacity = new TreeMap<>();
  private final Map<String, Held> held = new TreeMap<>();
  private final List<String> refused = new CopyOnWriteArrayList<>();
  private final List<String> tooLate = new CopyOnWriteArrayList<>();
  private final SharedIndexInformer<Node> nodes;
  private final SharedIndexInformer<Pod> pods;

  private record Held(String node, long gpus) {}

  public GpuReferee(TestCluster cluster) {
    admin = cluster.admin();
    nodes = admin.nodes().inform(handler(this::capacity, node -> {}));
    pods = admin.pods().inAnyNamespace().inform(handler(this::see, this::gone));
  }

  /** Names of pods that were rejected for lack of capacity, in order. */
  public List<String> refused() {
    return List.copyOf(refused);
  }

  /** Names of pods beyond their node's GPUs that ran before they could be refused. */
  public List<String> tooLate() {
    return List.copyOf(tooLate);
  }

  private synchronized void capacity(Node node) {
    capacity.put(node.getMetadata().getName(), gpus(node.getStatus().getAllocatable()));
  }

  private synchronized void see(Pod pod) {
    String id = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    String node = pod.getSpec().getNodeName();
    if (ENDED.contains(String.valueOf(pod.getStatus().getPhase()))) {
      held.remove(id);
    } else if (node != null && !held.containsKey(id)) {
      long asked =
          pod.getSpec().getContainers().stream()
              .mapToLong(c -> gpus(c.getResources().getRequests()))
              .sum();
      long used =
          held.values().stream().filter(h -> h.node().equals(node)).mapToLong(Held::gpus).sum();
      if (asked > 0 && used + asked > capacity.getOrDefault(node, 0L)) {
        refuse(pod, used);
      } else {
        held.put(id, new Held(node, asked));
      }
    }
  }

  private synchronized void gone(Pod pod) {
    held.remove(pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName());
  }

  /** In the words of a kubelet. */
  private void refuse(Pod pod, long used) {
    String name = pod.getMetadata().getName();
    if (refused.contains(name) || tooLate.contains(name)) {
      return;
    }
    String status =
        "{\"metadata\":{\"resourceVersion\":\"%s\"},\"status\":{\"phase\":\"Failed\",\"reason\":\"OutOfnvidia.com/gpu\",\"message\":\"Node didn't have enough resource: nvidia.com/gpu, used: %d\"}}"
            .formatted(pod.getMetadata().getResourceVersion(), used);
    try {
      admin
          .pods()
          .inNamespace(pod.getMetadata().getNamespace())
          .withName(name)
          .subresource("status")
          .patch(PatchContext.of(PatchType.JSON_MERGE), status);
      refused.add(name);
    } catch (KubernetesClientException changedSince) {
      tooLate.add(name);
    }
  }

  private static long gpus(Map<String, Quantity> amounts) {
    Quantity gpus = amounts == null ? null : amounts.get("nvidia.com/gpu");
    return gpus == null ? 0 : gpus.getNumericalAmount().longValue();
  }

  private static <T> ResourceEventHandler<T> handler(
      java.util.function.Consumer<T> seen, java.util.function.Consumer<T> gone) {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(T object) {
        seen.accept(object);
      }

      @Override
      public void onUpdate(T before, T object) {
        seen.accept(object);
      }

      @Override
      public void onDelete(T object, boolean unknown) {
        gone.accept(object);
      }
    };
  }

  @Override
  public void close() {
    nodes.stop();
    pods.stop();
  }
}
