package dev.fairlead.people.secret;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Stores secrets of projects, encrypted. */
public interface ProjectSecretStore {
  /** Returns the secrets by name. */
  List<ProjectSecret> all(TenantId tenant, ProjectId project);

  Optional<ProjectSecret> find(TenantId tenant, ProjectId project, String name);

  /** Returns the existing secrets with these names. */
  List<ProjectSecret> named(TenantId tenant, ProjectId project, Collection<String> names);

  /**
   * Returns the values by key, by the name of the secret. Only launches call this method. They have
   * checked the sizes.
   *
   * @param seen secrets of one project, as read before. Secrets that were changed or deleted since
   *     are omitted
   * @throws IllegalStateException if a secret was encrypted with a key that this process does not
   *     have
   */
  SortedMap<String, SortedMap<String, Secret>> values(List<ProjectSecret> seen);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if the project has a secret of that
   *     name
   * @throws dev.fairlead.kernel.problem.Refusal UNAVAILABLE without a key
   */
  void insert(ProjectSecret secret, SortedMap<String, Secret> values);

  /**
   * Replaces all values.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   * @throws dev.fairlead.kernel.problem.Refusal UNAVAILABLE without a key
   */
  void update(ProjectSecret secret, SortedMap<String, Secret> values);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION if this version is not stored
   */
  void delete(ProjectSecret secret);
}
