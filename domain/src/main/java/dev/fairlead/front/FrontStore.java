package dev.fairlead.front;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Namespaces of front clusters, and their adopted Jobs. Reads rows of the platform, which belong to
 * no tenant.
 */
public interface FrontStore {
  /** Lists namespaces by cluster and name. */
  List<FrontNamespace> namespaces();

  /** Namespaces of the cluster, by name. */
  List<FrontNamespace> namespaces(ClusterId cluster);

  /** Adds the namespace, or replaces the namespace with the same cluster and name. */
  void put(FrontNamespace namespace);

  /** Returns whether the row existed. */
  boolean remove(ClusterId cluster, String namespace);

  /** Records why Jobs of the cluster cannot be read, or null if they can. */
  void tell(ClusterId cluster, @Nullable String trouble);

  /** The last recorded troubles, by cluster. Omits clusters without one. */
  SortedMap<ClusterId, String> troubles();

  /** Number of adopted Jobs of the cluster, by namespace. */
  SortedMap<String, Integer> counts(ClusterId cluster);

  /** UIDs of adopted Jobs of the cluster, in order, after the given one. */
  List<String> taken(ClusterId cluster, String after, int most);

  /** Adopted Jobs with these UIDs, by UID. */
  List<FrontJob> find(ClusterId cluster, Collection<String> uids);

  /**
   * UIDs, in order from the given UID, of adopted Jobs whose cluster does not show the current
   * version of their job.
   */
  List<String> moved(ClusterId cluster, String after, int most);

  /**
   * Adds the Jobs that have no row yet, by cluster and UID.
   *
   * @return UIDs of the added Jobs
   */
  SortedSet<String> insert(Collection<FrontJob> jobs);

  /**
   * Changes the job and the suspension of each Job.
   *
   * @return UIDs of the Jobs that still have a row
   */
  SortedSet<String> update(Collection<FrontJob> jobs);

  /** Notes which version of the job each Job shows on its cluster, by UID. */
  void shown(ClusterId cluster, SortedMap<String, Long> versions);

  void remove(Collection<FrontJob> jobs);

  /** Open circuit breakers, by cluster. */
  SortedMap<ClusterId, FrontBreaker> breakers();

  /**
   * Marks these Jobs of the cluster as missing since now. Jobs that were marked before retain their
   * mark when they are among them, and lose it with the operator's confirmation when they are not.
   */
  void mark(ClusterId cluster, Collection<String> missing, Instant now);

  /**
   * Records that an operator confirmed the loss of each Job that is marked as missing at this
   * moment.
   *
   * @return how many were confirmed by this call, by tenant
   */
  SortedMap<TenantId, Integer> confirm(ClusterId cluster);

  /** UIDs of missing Jobs with a confirmed loss. */
  SortedSet<String> confirmed(ClusterId cluster);
}
