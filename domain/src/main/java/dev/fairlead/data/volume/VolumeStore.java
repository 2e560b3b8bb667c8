package dev.fairlead.data.volume;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

public interface VolumeStore {
  /** Key of a volume in its project, in lock order. */
  record Key(ProjectId project, String name) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int byName = name.compareTo(other.name);
      return byName != 0 ? byName : project.compareTo(other.project);
    }
  }

  /** By name. */
  List<Volume> all(TenantId tenant, ProjectId project);

  Optional<Volume> find(TenantId tenant, ProjectId project, String name);

  /** Existing objects with these names, by name. */
  List<Volume> named(TenantId tenant, ProjectId project, Collection<String> names);

  /**
   * Volumes of all projects of the tenant that have or had a claim, by name. The claim of a lost
   * volume can be found again.
   */
  List<Volume> withClaim(TenantId tenant);

  /** Names of active jobs that mount it, up to the limit. */
  List<String> users(TenantId tenant, ProjectId project, String name, int most);

  /**
   * Names of jobs with a live attempt that mount it, by its name or by its claim's, at most this
   * many. Ended jobs are included until they are archived.
   *
   * @param writersSince only jobs that may have written to it then or later, with a live or since
   *     ended attempt, null for all with a live attempt
   */
  List<String> mounting(Volume volume, @Nullable Instant writersSince, int most);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if the project has a volume of that
   *     name
   */
  void insert(Volume volume);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Volume volume);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when it does not exist in this version
   */
  void delete(Volume volume);

  /**
   * Reads the intervals in which volumes of the tenant had claims, by name and begin. Streams rows
   * as they are read.
   *
   * @param from start, inclusive
   * @param to end, exclusive
   */
  void stays(TenantId tenant, Instant from, Instant to, Consumer<VolumeStay> each);

  /** Deletes up to this many stays that ended before that time. */
  int forgetStays(Instant endedBefore, int most);

  /** Volumes of all tenants that bind jobs to their cluster, by id. */
  List<Volume> placed();

  /** Volumes of all tenants on the cluster, or with a claim there, by name, except LOST volumes. */
  List<Volume> on(ClusterId cluster);

  /** Lost volumes of all tenants that had a claim on the cluster, by name. */
  List<Volume> lost(ClusterId cluster);

  /** Existing ones, locked one by one in the order of their keys. */
  List<Volume> lock(Collection<Key> keys);

  /** Open circuit breakers, by cluster. */
  SortedMap<ClusterId, VolumeBreaker> breakers();

  /**
   * Marks the claims of these volumes of the cluster as missing since now. Volumes that were marked
   * before retain their mark when they are among them, and lose it with the operator's confirmation
   * when they are not.
   */
  void mark(ClusterId cluster, Collection<UUID> missing, Instant now);

  /**
   * Records that an operator confirmed the loss of each claim that is marked as missing at this
   * moment.
   *
   * @return how many were confirmed by this call, by tenant
   */
  SortedMap<TenantId, Integer> confirm(ClusterId cluster);

  /** Volumes with a missing claim and a confirmed loss. */
  SortedSet<UUID> confirmed(ClusterId cluster);

  /**
   * Returns placed volumes without any object, and without a live attempt on their cluster that
   * mounts them, to CLAIMED.
   *
   * @return how many
   */
  int unplace();
}
