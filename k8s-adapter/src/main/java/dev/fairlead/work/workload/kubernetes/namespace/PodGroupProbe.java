package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.fleet.cluster.connection.PodGroupApi;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a cluster has the PodGroups of its backend, and whether Fairlead may create them:
 * every five minutes, and every five seconds while something is missing. Without an answer of the
 * cluster, the last result remains.
 */
final class PodGroupProbe {
  private static final long KEPT_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long MISSING_NANOS = Duration.ofSeconds(5).toNanos();

  private final ClusterCalls calls;
  private final @Nullable PodGroupApi api;
  private final LongSupplier nanoTime;
  private volatile @Nullable String trouble;
  private boolean asked;
  private boolean complete;
  private long askedAt;

  /**
   * @param api API of the backend, null for a backend without PodGroups
   */
  PodGroupProbe(ClusterCalls calls, @Nullable PodGroupApi api, LongSupplier nanoTime) {
    this.calls = calls;
    this.api = api;
    this.nanoTime = nanoTime;
  }

  /** Returns the missing kind or rights with the next step, null if none is known. */
  @Nullable String trouble() {
    return trouble;
  }

  /** Runs a check if one is due. */
  void refresh(KubernetesClient client) {
    long now = nanoTime.getAsLong();
    if (api == null || asked && now - askedAt < (complete ? KEPT_NANOS : MISSING_NANOS)) {
      return;
    }
    asked = true;
    askedAt = now;
    complete = false;
    try {
      trouble = missing(client, api);
      complete = trouble == null;
    } catch (CallFailure unanswered) {
      return; // the next check is due soon
    }
  }

  private @Nullable String missing(KubernetesClient client, PodGroupApi of) {
    if (!calls.read(() -> client.supports(of.name(), PodGroupApi.KIND))) {
      return of.absent();
    }
    List<ClusterRight> rights =
        ClusterRight.groupPods(of).stream()
            .filter(right -> !Rights.may(client, calls, right, null, null))
            .toList();
    return rights.isEmpty()
        ? null
        : "Fairlead "
            + ClusterRight.lacking(rights)
            + ", which deploy/cluster-pod-group.yaml grants. Apply that file to the cluster";
  }
}
