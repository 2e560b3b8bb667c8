package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.fleet.cluster.Capabilities.Fence;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tries whether the cluster refuses what a deposed supervisor would create: by a create of an older
 * term that is a dry run, so that nothing is left of it even where it is let through. Not safe for
 * use by several threads at once.
 */
public final class FenceProbe {
  private static final String OBJECT = "fairlead-fence-probe";

  /** An API server looks for policies once a second, and later where it has much else to do. */
  private static final Duration PUT_IN_FORCE = Duration.ofSeconds(3);

  private final Installation installation;
  private final ClusterCalls calls;
  private final LongSupplier nanoTime;

  /** When the first create was let through since one was refused; null when the last one was. */
  private @Nullable Long openSince;

  /**
   * @param nanoTime the monotonic clock
   */
  public FenceProbe(Installation installation, ClusterCalls calls, LongSupplier nanoTime) {
    this.installation = installation;
    this.calls = calls;
    this.nanoTime = nanoTime;
  }

  /**
   * What was found.
   *
   * @param inForce false while a fence does not go by our term yet, or may not be in force yet
   * @param reason for people; empty when it is enforced
   */
  public record Finding(Fence fence, boolean inForce, String reason) {
    public static final Finding UNKNOWN = new Finding(Fence.UNKNOWN, false, "not tried yet");

    public boolean enforced() {
      return fence == Fence.ENFORCED;
    }
  }

  /**
   * @param term the term that was just raised
   * @throws CallFailure when the cluster does not say
   */
  Finding look(KubernetesClient client, long term) {
    if (refuses(client, term - 1)) {
      openSince = null;
      return new Finding(Fence.ENFORCED, true, "");
    }
    // The oldest term there is: refused by a fence that is there and does not know of ours yet.
    if (refuses(client, 0)) {
      openSince = null;
      return new Finding(Fence.UNKNOWN, false, lagging(term));
    }
    return open();
  }

  /** A policy that was just applied lets creates through too: one alone shows nothing. */
  private Finding open() {
    long now = nanoTime.getAsLong();
    if (openSince == null) {
      openSince = now;
    }
    return now - openSince < PUT_IN_FORCE.toNanos()
        ? new Finding(
            Fence.UNKNOWN,
            false,
            "it took a create of an older term; a fence that was just applied may not be in force"
                + " yet, so it is tried again for "
                + PUT_IN_FORCE.toSeconds()
                + " s")
        : new Finding(
            Fence.ABSENT,
            true,
            "it takes creates of an older term; apply deploy/cluster.yaml"
                + " (docs/connect-a-cluster.md)");
  }

  private static String lagging(long term) {
    return "its fence does not go by term "
        + term
        + " yet; when that stays so, replace the policy "
        + TermFence.NAME
        + " and its binding (docs/connect-a-cluster.md)";
  }

  private boolean refuses(KubernetesClient client, long term) {
    try {
      calls.write(() -> client.resource(object(term)).dryRun().create());
      return false;
    } catch (CallFailure failure) {
      if (failure.refusedBy(TermFence.NAME)) {
        return true;
      }
      throw failure;
    }
  }

  private ConfigMap object(long term) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(OBJECT)
        .withNamespace(Namespaces.SYSTEM)
        .withLabels(ObjectLabels.of(installation))
        .addToLabels(ObjectLabels.TERM, Long.toString(term))
        .endMetadata()
        .build();
  }
}
