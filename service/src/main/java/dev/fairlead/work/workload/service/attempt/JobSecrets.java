package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Secrets and the cloud identity that a job names, and the registry login of its project, at the
 * launch of an attempt.
 *
 * @param values values by key, grouped by the name of the secret. Empty when they are too large
 * @param tooLarge message about secrets that are too large to read
 * @param identity the cloud identity, which other projects may also use, empty if none
 */
public record JobSecrets(
    SortedMap<String, SortedMap<String, Secret>> values,
    Optional<String> tooLarge,
    Optional<CloudIdentity> identity) {
  /** Key of jobs with equal secrets and the same cloud identity. */
  public record Key(
      ProjectId project, Set<String> names, @Nullable String identity, boolean array) {
    public static Key of(Job job) {
      return new Key(
          job.project(),
          job.spec().secrets().keySet(),
          job.spec().cloudIdentity(),
          job.array() != null);
    }
  }

  /**
   * @throws IllegalStateException when a secret changed in between. The next try reads it
   */
  static JobSecrets read(ProjectSecretStore secrets, ConfigStore configuration, Job job) {
    Optional<CloudIdentity> identity =
        Optional.ofNullable(job.spec().cloudIdentity())
            .flatMap(name -> CloudIdentity.named(configuration, job.tenant(), name));
    Set<String> names = job.spec().secrets().keySet();
    Set<String> wanted = new TreeSet<>(names);
    wanted.add(ProjectSecret.REGISTRY_LOGIN);
    List<ProjectSecret> found = secrets.named(job.tenant(), job.project(), wanted);
    Optional<String> tooLarge =
        ProjectSecret.tooLarge(
            found.stream().filter(secret -> names.contains(secret.name())).toList(),
            job.array() != null);
    if (tooLarge.isPresent()) {
      return new JobSecrets(Collections.emptySortedMap(), tooLarge, identity);
    }
    SortedMap<String, SortedMap<String, Secret>> values = secrets.values(found);
    if (values.size() < found.size()) {
      throw new IllegalStateException("secrets of " + job.id().text() + " change at this moment");
    }
    return new JobSecrets(values, tooLarge, identity);
  }
}
