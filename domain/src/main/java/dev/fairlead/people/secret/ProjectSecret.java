package dev.fairlead.people.secret;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What may be shown of a secret: everything but its values.
 *
 * @param name DNS label, unique in the project
 * @param keys size of each value in bytes
 * @param version rises with each change, from 1
 */
public record ProjectSecret(
    UUID id,
    TenantId tenant,
    ProjectId project,
    String name,
    SortedMap<String, Integer> keys,
    Instant createdAt,
    Change changed,
    long version) {
  /** Secrets of one project. */
  public static final int MOST = 200;

  /** Keys of one secret. */
  public static final int MOST_KEYS = 64;

  /** Characters of a key: with the secret's name it is a key of a Kubernetes Secret. */
  public static final int LONGEST_KEY = 128;

  /** Bytes of one value in UTF-8. */
  public static final int LARGEST_VALUE = 64 * 1024;

  /** Bytes of all values of one secret. */
  public static final int LARGEST = 256 * 1024;

  /** Bytes of all secrets of one job: what a Kubernetes Secret takes, less room for its labels. */
  public static final int LARGEST_OF_JOB = 1_000_000;

  /** The same of an array, each element of which has a Kubernetes Secret of its own. */
  public static final int LARGEST_OF_ARRAY = 64 * 1024;

  /**
   * Name of the secret that is the project's login at registries: each pod of the project pulls its
   * image with it. It has one key, {@link #LOGIN_KEY}.
   */
  public static final String REGISTRY_LOGIN = "registry-login";

  /** Key of a login at registries, as Kubernetes names it in {@code dockerconfigjson}. */
  public static final String LOGIN_KEY = ".dockerconfigjson";

  /** Bytes of a login: they fit beside {@link #LARGEST_OF_JOB} into one Kubernetes Secret. */
  public static final int LARGEST_LOGIN = 16 * 1024;

  /**
   * The last change.
   *
   * @param by principal that made it
   */
  public record Change(Instant at, String by) {}

  public ProjectSecret {
    keys = Collections.unmodifiableSortedMap(new TreeMap<>(keys));
  }

  /** Of its values and the names of its keys as an attempt gets them, in bytes. */
  public long bytes() {
    return keys.entrySet().stream()
        .mapToLong(key -> name.length() + 1L + key.getKey().length() + key.getValue())
        .sum();
  }

  /**
   * Why the secrets that a job names are too large for it; empty when they are not.
   *
   * @param array whether the job is one
   */
  public static Optional<String> tooLarge(Collection<ProjectSecret> named, boolean array) {
    long bytes = named.stream().mapToLong(ProjectSecret::bytes).sum();
    int most = array ? LARGEST_OF_ARRAY : LARGEST_OF_JOB;
    return bytes <= most
        ? Optional.empty()
        : Optional.of(
            "The secrets that the job names have %d bytes together with the names of their keys; at most %d are allowed%s."
                .formatted(bytes, most, array ? " for an array" : ""));
  }

  /** The same with other values. */
  public ProjectSecret replaced(SortedMap<String, Integer> others, Change change) {
    return new ProjectSecret(id, tenant, project, name, others, createdAt, change, version + 1);
  }
}
