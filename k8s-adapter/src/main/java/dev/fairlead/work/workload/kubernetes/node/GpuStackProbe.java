package dev.fairlead.work.workload.kubernetes.node;

import dev.fairlead.fleet.cluster.GpuComponent;
import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.node.GpuStackReport.Seen;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects the GPU software of a cluster every 10 minutes: from at most 2,000 DaemonSets, the policy
 * of the GPU Operator, and labels of watched nodes. The rights for this are optional. Objects that
 * cannot be read are unknown.
 */
public final class GpuStackProbe {
  private static final long KEPT_NANOS = Duration.ofMinutes(10).toNanos();
  private static final long PAGE = 500;
  private static final int MOST_PAGES = 4;
  private static final ClusterRight SETS = new ClusterRight("apps", "daemonsets", "list");
  private static final ClusterRight POLICIES =
      new ClusterRight("nvidia.com", "clusterpolicies", "list");
  private static final ResourceDefinitionContext POLICY =
      new ResourceDefinitionContext.Builder()
          .withGroup(POLICIES.group())
          .withVersion("v1")
          .withKind("ClusterPolicy")
          .withPlural(POLICIES.resource())
          .withNamespaced(false)
          .build();

  private final ClusterCalls calls;
  private final LongSupplier nanoTime;
  private volatile List<GpuComponent> found = List.of();
  private long lookedAt;

  public GpuStackProbe(ClusterCalls calls, LongSupplier nanoTime) {
    this.calls = calls;
    this.nanoTime = nanoTime;
  }

  /** Returns the result of the last check, empty before the first. */
  public List<GpuComponent> found() {
    return found;
  }

  /**
   * Runs a check if one is due.
   *
   * @param nodes nodes of the cluster
   */
  public void refresh(KubernetesClient client, Supplier<? extends Collection<NodeReport>> nodes) {
    if (!found.isEmpty() && nanoTime.getAsLong() - lookedAt < KEPT_NANOS) {
      return;
    }
    lookedAt = nanoTime.getAsLong();
    found = GpuStackReport.of(sets(client), policies(client), nodes.get());
  }

  private Seen<DaemonSet> sets(KubernetesClient client) {
    List<DaemonSet> sets = new ArrayList<>();
    String next = null;
    try {
      for (int page = 0; page < MOST_PAGES; page++) {
        ListOptions options = options(next);
        DaemonSetList read =
            calls.read(() -> client.apps().daemonSets().inAnyNamespace().list(options));
        sets.addAll(read.getItems());
        next = read.getMetadata().getContinue();
        if (next == null || next.isEmpty()) {
          return new Seen<>(sets, null);
        }
      }
      return new Seen<>(sets, "only %d DaemonSets were read".formatted(sets.size()));
    } catch (CallFailure failure) {
      return new Seen<>(sets, unread(failure, SETS));
    }
  }

  private Seen<GenericKubernetesResource> policies(KubernetesClient client) {
    try {
      return new Seen<>(
          calls
              .read(() -> client.genericKubernetesResources(POLICY).list(options(null)))
              .getItems(),
          null);
    } catch (CallFailure failure) {
      return new Seen<>(
          List.of(),
          failure.code() == HttpURLConnection.HTTP_NOT_FOUND ? null : unread(failure, POLICIES));
    }
  }

  private static String unread(CallFailure failure, ClusterRight right) {
    return failure.code() == HttpURLConnection.HTTP_FORBIDDEN
        ? ClusterRight.lacking(List.of(right))
        : "not known: " + failure.getMessage();
  }

  private static ListOptions options(@Nullable String next) {
    return new ListOptionsBuilder().withLimit(PAGE).withContinue(next).build();
  }
}
