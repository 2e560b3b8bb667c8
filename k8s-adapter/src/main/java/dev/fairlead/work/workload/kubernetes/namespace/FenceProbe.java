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
 * Checks whether the cluster refuses creates of a deposed supervisor. It sends a create with an
 * older epoch as a dry run, so that nothing is created even if the cluster accepts it. Not
 * thread-safe.
 */
public final class FenceProbe {
  private static final String OBJECT = "fairlead-fence-probe";

  /** An API server reloads policies once a second, or later under load. */
  private static final Duration PUT_IN_FORCE = Duration.ofSeconds(3);

  private final Installation installation;
  private final ClusterCalls calls;
  private final LongSupplier nanoTime;

  /**
   * Time of the first accepted create since the last refused create, null if the last create was
   * refused.
   */
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
   * The result of the probe.
   *
   * @param inForce false while a fence does not use the current epoch yet, or may not be in force
   *     yet
   * @param reason human-readable text, empty if it is enforced
   */
  public record Finding(Fence fence, boolean inForce, String reason) {
    public static final Finding UNKNOWN = new Finding(Fence.UNKNOWN, false, "not tried yet");

    public boolean enforced() {
      return fence == Fence.ENFORCED;
    }
  }

  /**
   * @param epoch the epoch that was just raised
   * @throws CallFailure if the cluster does not answer
   */
  Finding look(KubernetesClient client, long epoch) {
    if (refuses(client, epoch - 1)) {
      openSince = null;
      return new Finding(Fence.ENFORCED, true, "");
    }
    /* A fence that does not know the current epoch yet refuses the oldest possible epoch. */
    if (refuses(client, 0)) {
      openSince = null;
      return new Finding(Fence.UNKNOWN, false, lagging(epoch));
    }
    return open();
  }

  /**
   * A policy that was just applied accepts creates too, so a single accepted create proves nothing.
   */
  private Finding open() {
    long now = nanoTime.getAsLong();
    if (openSince == null) {
      openSince = now;
    }
    return now - openSince < PUT_IN_FORCE.toNanos()
        ? new Finding(
            Fence.UNKNOWN,
            false,
            "it accepted a create of an older epoch. A newly applied fence may not be in effect"
                + " yet, so the probe is repeated for "
                + PUT_IN_FORCE.toSeconds()
                + " s")
        : new Finding(
            Fence.ABSENT,
            true,
            "it accepts creates of an older epoch. Apply deploy/cluster.yaml"
                + " (docs/how-to/connect-a-cluster.md).");
  }

  private static String lagging(long epoch) {
    return "its fence does not compare epochs "
        + epoch
        + " yet. If that persists, replace the policy "
        + EpochFence.NAME
        + " and its binding (docs/how-to/connect-a-cluster.md).";
  }

  private boolean refuses(KubernetesClient client, long epoch) {
    try {
      calls.write(() -> client.resource(object(epoch)).dryRun().create());
      return false;
    } catch (CallFailure failure) {
      if (failure.refusedBy(EpochFence.NAME)) {
        return true;
      }
      throw failure;
    }
  }

  private ConfigMap object(long epoch) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(OBJECT)
        .withNamespace(Namespaces.SYSTEM)
        .withLabels(ObjectLabels.of(installation))
        .addToLabels(ObjectLabels.EPOCH, Long.toString(epoch))
        .endMetadata()
        .build();
  }
}
