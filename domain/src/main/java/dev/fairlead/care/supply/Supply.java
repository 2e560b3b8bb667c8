package dev.fairlead.care.supply;

import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.kernel.identity.ClusterId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rules for adding nodes to a pool when jobs wait for them, and for removing empty nodes.
 *
 * @param cluster that the nodes join
 * @param maxNodes maximum number of its nodes at one time, from 0 to {@link #MOST_NODES}. If 0, no
 *     nodes are requested
 * @param releaseAfter time after which an empty node is returned
 * @param readyWithin time after the request after which nodes that are not ready are abandoned
 * @param webhook null if the autoscaler of the cluster is called
 * @param provisioning null if a webhook is called
 */
@RecordBuilder
public record Supply(
    PoolId pool,
    ClusterId cluster,
    NodeKind kind,
    int maxNodes,
    Duration releaseAfter,
    Duration readyWithin,
    @Nullable Webhook webhook,
    long version,
    @Nullable ProvisioningClass provisioning)
    implements SupplyBuilder.With {
  public static final int MOST_NODES = 256;

  public Supply {
    if ((webhook == null) == (provisioning == null)) {
      throw new IllegalArgumentException("a supply has one provisioner");
    }
  }

  /** Returns the provisioner of the nodes. */
  public Provisioner provisioner() {
    if (webhook != null) {
      return webhook;
    }
    if (provisioning != null) {
      return provisioning;
    }
    throw new IllegalStateException("a supply has one provisioner");
  }

  /** A provisioner adds nodes and removes them. */
  public sealed interface Provisioner {}

  /**
   * A provisioner that is called by webhook.
   *
   * @param url starts with https
   * @param caData base64 of the PEM certificates that sign its certificate, null for public
   *     authorities
   */
  public record Webhook(String url, @Nullable String caData) implements Provisioner {}

  /**
   * The cluster's own autoscaler, called by a {@code ProvisioningRequest} of {@code
   * autoscaling.x-k8s.io/v1}. It does not report which nodes it adds.
   *
   * @param className selects the autoscaler and its mode
   * @param parameters parameters of the class
   */
  public record ProvisioningClass(String className, SortedMap<String, String> parameters)
      implements Provisioner {
    public ProvisioningClass {
      parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
    }
  }

  /** Returns the derivation label of the key that signs calls about the pool. */
  public static String signs(PoolId pool) {
    return "fairlead/supply/" + pool.text();
  }
}
