package dev.fairlead.volume;

import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Storage that a project asks for. It is on no cluster.
 *
 * @param name DNS label, unique in the project
 * @param version rises with each change, from 1
 */
public record Volume(
    UUID id,
    TenantId tenant,
    ProjectId project,
    String name,
    Claim claim,
    Instant createdAt,
    Change changed,
    long version) {
  /** Volumes of one project. */
  public static final int MOST = 200;

  /**
   * What is asked for.
   *
   * @param sizeMiB 4 to 2^30
   * @param storageClass name of a StorageClass, null for the default one of the cluster
   */
  public record Claim(long sizeMiB, @Nullable String storageClass, VolumeAccess access) {}

  /**
   * The last change.
   *
   * @param by principal that made it
   */
  public record Change(Instant at, String by) {}

  /** The same with another claim. */
  public Volume replaced(Claim other, Change change) {
    return new Volume(id, tenant, project, name, other, createdAt, change, version + 1);
  }
}
