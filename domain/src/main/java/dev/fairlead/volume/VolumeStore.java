package dev.fairlead.volume;

import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import java.util.List;
import java.util.Optional;

/** Volumes of projects. */
public interface VolumeStore {
  /** By name. */
  List<Volume> all(TenantId tenant, ProjectId project);

  Optional<Volume> find(TenantId tenant, ProjectId project, String name);

  /**
   * @throws dev.fairlead.transaction.Conflict NAME_TAKEN when the project has one of that name
   */
  void insert(Volume volume);

  /**
   * Replaces what it asks for.
   *
   * @throws dev.fairlead.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Volume volume);

  /**
   * @throws dev.fairlead.transaction.Conflict VERSION when it is not there in this version
   */
  void delete(Volume volume);
}
