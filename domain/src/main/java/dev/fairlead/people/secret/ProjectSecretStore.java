package dev.fairlead.people.secret;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Secrets of projects, encrypted where they are stored. */
public interface ProjectSecretStore {
  /** By name. */
  List<ProjectSecret> all(TenantId tenant, ProjectId project);

  Optional<ProjectSecret> find(TenantId tenant, ProjectId project, String name);

  /** Those of these names that are there. */
  List<ProjectSecret> named(TenantId tenant, ProjectId project, Collection<String> names);

  /**
   * Values by key, by the name of the secret. For launches alone, which know the sizes then.
   *
   * @param seen of one project; those that were changed or deleted since are left out
   * @throws IllegalStateException when one was encrypted with a key that this process does not have
   */
  SortedMap<String, SortedMap<String, Secret>> values(List<ProjectSecret> seen);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN when the project has one of that
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
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when it is not there in this version
   */
  void delete(ProjectSecret secret);
}
