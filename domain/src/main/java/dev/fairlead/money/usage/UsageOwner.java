package dev.fairlead.money.usage;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.money.usage.ledger.UseDimension;
import dev.fairlead.money.usage.ledger.UseKey;
import dev.fairlead.money.usage.ledger.UseKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * User, project and queue of a usage, and its capacity.
 *
 * @param cluster cluster, null if it was not recorded
 * @param pool name of the pool of the node when the use began, empty if none
 * @param service bare id of the model service if a replica used it, otherwise null
 * @param labels values of {@link UsageLabels}, with non-empty values, empty if they are omitted
 */
@RecordBuilder
public record UsageOwner(
    TenantId tenant,
    ProjectId project,
    QuotaNodeId queue,
    String user,
    @Nullable ClusterId cluster,
    String pool,
    Flavor flavor,
    @Nullable String service,
    SortedMap<String, String> labels)
    implements Comparable<UsageOwner>, UsageOwnerBuilder.With {
  private static final Comparator<UsageOwner> ORDER =
      Comparator.comparing((UsageOwner o) -> o.tenant.value())
          .thenComparing(o -> o.project.value())
          .thenComparing(o -> o.queue.value())
          .thenComparing(UsageOwner::user)
          .thenComparing(UsageOwner::clusterText)
          .thenComparing(UsageOwner::pool)
          .thenComparing(UsageOwner::flavor)
          .thenComparing(UsageOwner::serviceText)
          .thenComparing(UsageOwner::labelText);

  public UsageOwner {
    labels =
        labels.isEmpty()
            ? Collections.emptySortedMap()
            : Collections.unmodifiableSortedMap(new TreeMap<>(labels));
  }

  /** The key under which its use is stored, without labels, which are stored separately. */
  UsageOwner unlabelled() {
    return labels.isEmpty() ? this : withLabels(Collections.emptySortedMap());
  }

  /** The key under which its labels are stored, without the cluster and the service. */
  UsageOwner with(SortedMap<String, String> others) {
    return with().cluster(null).service(null).labels(others).build();
  }

  private String labelText() {
    return labels.isEmpty() ? "" : labels.toString();
  }

  private String serviceText() {
    return service == null ? "" : service;
  }

  private String clusterText() {
    return cluster == null ? "" : cluster.text();
  }

  /** The key of its facts of a kind. */
  UseKey key(UseKind kind) {
    UseKey key =
        UseKey.of(kind)
            .with(UseDimension.TENANT, tenant)
            .with(UseDimension.PROJECT, project)
            .with(UseDimension.QUEUE, queue)
            .with(UseDimension.USER, user)
            .with(UseDimension.CLUSTER, cluster)
            .with(UseDimension.POOL, pool)
            .with(flavor)
            .with(UseDimension.SERVICE, service);
    return new UseKey(kind, key.at(), labels);
  }

  @Override
  public int compareTo(UsageOwner other) {
    return ORDER.compare(this, other);
  }
}
