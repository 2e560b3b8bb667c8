package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.kernel.keyring.Secret;
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

/**
 * Secrets that a job names, and the registry login of its project, at the launch of an attempt.
 *
 * @param values by key, by the name of the secret, none when they are too large
 * @param tooLarge why no value was read
 */
public record JobSecrets(
    SortedMap<String, SortedMap<String, Secret>> values, Optional<String> tooLarge) {
  /** Key of jobs with equal secrets. */
  public record Key(ProjectId project, Set<String> names, boolean array) {
    public static Key of(Job job) {
      return new Key(job.project(), job.spec().secrets().keySet(), job.array() != null);
    }
  }

  /**
   * @throws IllegalStateException when a secret changed in between. The next try reads it
   */
  static JobSecrets read(ProjectSecretStore secrets, Job job) {
    Set<String> names = job.spec().secrets().keySet();
    Set<String> wanted = new TreeSet<>(names);
    wanted.add(ProjectSecret.REGISTRY_LOGIN);
    List<ProjectSecret> found = secrets.named(job.tenant(), job.project(), wanted);
    Optional<String> tooLarge =
        ProjectSecret.tooLarge(
            found.stream().filter(secret -> names.contains(secret.name())).toList(),
            job.array() != null);
    if (tooLarge.isPresent()) {
      return new JobSecrets(Collections.emptySortedMap(), tooLarge);
    }
    SortedMap<String, SortedMap<String, Secret>> values = secrets.values(found);
    if (values.size() < found.size()) {
      throw new IllegalStateException("secrets of " + job.id().text() + " change at this moment");
    }
    return new JobSecrets(values, tooLarge);
  }
}
