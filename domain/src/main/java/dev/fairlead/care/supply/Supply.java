package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How nodes come into a pool when jobs wait for them, and leave it when they are empty.
 *
 * @param cluster that the nodes join
 * @param maxNodes most of its nodes at one time, from 0 to {@link #MOST_NODES}; with 0 none is
 *     asked for
 * @param releaseAfter a node that was empty for so long is handed back
 * @param readyWithin nodes that are not ready so long after they were asked for are given up
 * @param webhook null when the autoscaler of the cluster is asked
 * @param provisioning null when a webhook is asked
 */
public record Supply(
    PoolId pool,
    ClusterId cluster,
    NodeKind kind,
    int maxNodes,
    Duration releaseAfter,
    Duration readyWithin,
    @Nullable Webhook webhook,
    long version,
    @Nullable ProvisioningClass provisioning) {
  public static final int MOST_NODES = 256;

  public Supply {
    if ((webhook == null) == (provisioning == null)) {
      throw new IllegalArgumentException("a supply has one supplier");
    }
  }

  public Supply(
      PoolId pool,
      ClusterId cluster,
      NodeKind kind,
      int maxNodes,
      Duration releaseAfter,
      Duration readyWithin,
      @Nullable Supplier supplier,
      long version) {
    this(
        pool,
        cluster,
        kind,
        maxNodes,
        releaseAfter,
        readyWithin,
        supplier instanceof Webhook asked ? asked : null,
        version,
        supplier instanceof ProvisioningClass asked ? asked : null);
  }

  /** What adds the nodes. */
  public Supplier supplier() {
    if (webhook != null) {
      return webhook;
    }
    if (provisioning != null) {
      return provisioning;
    }
    throw new IllegalStateException("a supply has one supplier");
  }

  /** What adds nodes and takes them back. */
  public sealed interface Supplier {}

  /**
   * Where the supplier is asked.
   *
   * @param url begins with https
   * @param caData base64 of the PEM certificates that sign its own; null for the public ones
   */
  public record Webhook(String url, @Nullable String caData) implements Supplier {}

  /**
   * How the cluster's own autoscaler is asked, by a {@code ProvisioningRequest} of {@code
   * autoscaling.x-k8s.io/v1}. It does not say which nodes it adds.
   *
   * @param className which autoscaler answers, and how
   * @param parameters of the class
   */
  public record ProvisioningClass(String className, SortedMap<String, String> parameters)
      implements Supplier {
    public ProvisioningClass {
      parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
    }
  }

  /** What the key that signs the calls of the pool is derived for. */
  public static String signs(PoolId pool) {
    return "fairlead/supply/" + pool.text();
  }
}
