package dev.fairlead.data.volume;

import static dev.fairlead.data.volume.VolumeState.BOUND;
import static dev.fairlead.data.volume.VolumeState.CLAIMED;
import static dev.fairlead.data.volume.VolumeState.LOST;
import static dev.fairlead.data.volume.VolumeState.PLACED;
import static dev.fairlead.data.volume.VolumeState.PROVISIONING;
import static dev.fairlead.data.volume.VolumeState.RELEASED;
import static dev.fairlead.data.volume.VolumeState.RETAINED;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lifecycle.TransitionTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A volume of a project. It is claimed without a cluster, placed with the first job that mounts it,
 * and from then on only on that cluster. Pods that mount it are created only after {@code claimUid}
 * is stored, so a volume without it has no data.
 *
 * @param name DNS label of at most {@link #LONGEST_NAME}, unique in the project
 * @param retain whether its data are retained when it is deleted
 * @param cluster null while it is claimed
 * @param claim name of its claim if it differs from the volume's name after a cut-over
 * @param claimUid UID of its claim, null until the cluster has reported it
 * @param provisionedAt time when the UID was stored, or when a lost claim was found again, null
 *     before
 * @param nodeLabels labels that a node needs to reach its data, empty if every node of its cluster
 *     reaches them, or if its cluster does not report them
 * @param message current problem or wait, human-readable
 * @param missingSince when the open circuit breaker of its cluster first counted its claim as
 *     missing, null otherwise. {@link VolumeStore#mark} alone changes it
 * @param version rises with each change, from 1
 */
@RecordBuilder
public record Volume(
    UUID id,
    TenantId tenant,
    ProjectId project,
    String name,
    Request request,
    boolean retain,
    VolumeState state,
    @Nullable ClusterId cluster,
    @Nullable String claim,
    @Nullable String claimUid,
    @Nullable Instant provisionedAt,
    @Nullable Instant boundAt,
    SortedMap<String, String> nodeLabels,
    @Nullable String message,
    @Nullable Instant missingSince,
    Made made,
    long version)
    implements VolumeBuilder.With {
  /** Volumes of one project. */
  public static final int MOST = 200;

  /** Characters of a name: with its suffix it is the name of a claim, and a label's value. */
  public static final int LONGEST_NAME = 40;

  private static final int SUFFIX = 12;

  /** A terminal state has no row: only the row's end follows. */
  public static final TransitionTable<VolumeState, VolumeEvent> TABLE =
      TransitionTable.of(VolumeState.class, VolumeEvent.class)
          .on(VolumeEvent.PLACED, PLACED, CLAIMED)
          .on(VolumeEvent.UNPLACED, CLAIMED, PLACED)
          .on(VolumeEvent.PROVISIONED, PROVISIONING, PLACED)
          .on(VolumeEvent.BOUND, BOUND, PROVISIONING)
          .on(VolumeEvent.LOST, LOST, PROVISIONING, BOUND)
          .on(VolumeEvent.FOUND, PROVISIONING, LOST)
          .on(VolumeEvent.RETAINED, RETAINED, PROVISIONING, BOUND)
          .on(VolumeEvent.RELEASED, RELEASED, PROVISIONING, BOUND)
          .build();

  public Volume {
    nodeLabels = Collections.unmodifiableSortedMap(new TreeMap<>(nodeLabels));
  }

  /** Kubernetes access mode of a volume. */
  public enum Access {
    READ_WRITE_ONCE("ReadWriteOnce"),
    READ_WRITE_MANY("ReadWriteMany"),
    READ_ONLY_MANY("ReadOnlyMany");

    private final String text;

    Access(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /**
   * Requested properties of a volume.
   *
   * @param sizeGib at least 1
   * @param storageClass null for the default of the cluster
   */
  public record Request(long sizeGib, @Nullable String storageClass, Access access) {
    /** 1 PiB. */
    public static final long MOST_GIB = 1L << 20;
  }

  /**
   * Its beginning.
   *
   * @param by principal that requested it
   */
  public record Made(Instant at, String by) {}

  /** A newly requested volume. */
  public static Volume claimed(
      UUID id,
      TenantId tenant,
      ProjectId project,
      String name,
      Request request,
      boolean retain,
      Made made) {
    return VolumeBuilder.builder()
        .id(id)
        .tenant(tenant)
        .project(project)
        .name(name)
        .request(request)
        .retain(retain)
        .state(CLAIMED)
        .cluster(null)
        .claim(null)
        .claimUid(null)
        .provisionedAt(null)
        .boundAt(null)
        .nodeLabels(Collections.emptySortedMap())
        .message(null)
        .missingSince(null)
        .made(made)
        .version(1)
        .build();
  }

  /** Name of its claim on a cluster, unique even among later volumes with its name. */
  public String claimName() {
    if (claim != null) {
      return claim;
    }
    String hex = id.toString().replace("-", "");
    return name + "-" + hex.substring(hex.length() - SUFFIX);
  }

  /** Returns whether the volume is on a cluster, so that its jobs run only on that cluster. */
  public boolean drawsJobs() {
    return state == PLACED || state == PROVISIONING || state == BOUND;
  }

  /** Returns whether jobs may mount it. */
  public boolean usable() {
    return state == CLAIMED || drawsJobs();
  }

  /** Returns whether the volume's cluster should show its claim. */
  public boolean claimed() {
    return state == PROVISIONING || state == BOUND;
  }

  /** Returns whether the volume's claim may be on a cluster, with data that exist nowhere else. */
  public boolean hasClaim() {
    return claimUid != null && state != LOST;
  }

  /** Returns the volume with its first consumer on this cluster. */
  public Volume placed(ClusterId there) {
    return moved(VolumeEvent.PLACED, there, null);
  }

  /** Returns the volume as if it had never been placed. */
  public Volume unplaced() {
    return moved(VolumeEvent.UNPLACED, null, null);
  }

  /** Returns the volume with a claim of this identity on its cluster. */
  public Volume provisioned(String uid, Instant at) {
    Volume next = moved(VolumeEvent.PROVISIONED, cluster, null);
    return next.with(next.state, cluster, uid, at, null, nodeLabels, null, next.version);
  }

  public Volume bound(Instant at) {
    Volume next = moved(VolumeEvent.BOUND, cluster, null);
    return next.with(
        next.state, cluster, claimUid, provisionedAt, at, nodeLabels, null, next.version);
  }

  /** Cluster on which nodes need these labels to reach its data. */
  public Volume reachedWith(SortedMap<String, String> labels) {
    return with(state, cluster, claimUid, provisionedAt, boundAt, labels, message, version + 1);
  }

  /**
   * Without its claim.
   *
   * @param why human-readable text
   */
  public Volume lost(String why) {
    return moved(VolumeEvent.LOST, cluster, why);
  }

  /**
   * Returns the volume with its claim again, and not known to be bound. A new stay begins, so that
   * reports of the time of the loss do not change.
   */
  public Volume found(Instant at) {
    Volume next = moved(VolumeEvent.FOUND, cluster, null);
    return next.with(next.state, cluster, claimUid, at, null, nodeLabels, null, next.version);
  }

  /** Deleted, with its claim left on the cluster. */
  public Volume ended() {
    return moved(retain ? VolumeEvent.RETAINED : VolumeEvent.RELEASED, cluster, null);
  }

  /** Returns the volume with the same data and claim under another name. */
  public Volume renamed(String other) {
    return with().name(other).claim(claimName()).version(version + 1).build();
  }

  /** Returns the volume with another message. */
  public Volume saying(@Nullable String text) {
    return with(state, cluster, claimUid, provisionedAt, boundAt, nodeLabels, text, version + 1);
  }

  private Volume moved(VolumeEvent event, @Nullable ClusterId there, @Nullable String text) {
    VolumeState next =
        TABLE
            .next(state, event)
            .orElseThrow(() -> new IllegalStateException(name + ": " + event + " of " + state));
    return with(next, there, claimUid, provisionedAt, boundAt, nodeLabels, text, version + 1);
  }

  private Volume with(
      VolumeState next,
      @Nullable ClusterId there,
      @Nullable String uid,
      @Nullable Instant provisioned,
      @Nullable Instant bound,
      SortedMap<String, String> labels,
      @Nullable String text,
      long as) {
    return with()
        .state(next)
        .cluster(there)
        .claimUid(uid)
        .provisionedAt(provisioned)
        .boundAt(bound)
        .nodeLabels(labels)
        .message(text)
        .version(as)
        .build();
  }
}
