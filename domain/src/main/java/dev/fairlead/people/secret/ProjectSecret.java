package dev.fairlead.people.secret;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The metadata of a secret, without its values.
 *
 * @param name DNS label, unique in the project
 * @param keys size of each value in bytes
 * @param version incremented with each change, from 1
 */
@RecordBuilder
public record ProjectSecret(
    UUID id,
    TenantId tenant,
    ProjectId project,
    String name,
    SortedMap<String, Integer> keys,
    Instant createdAt,
    Change changed,
    long version)
    implements ProjectSecretBuilder.With {
  /** Maximum number of secrets of one project. */
  public static final int MOST = 200;

  /** Maximum number of keys of one secret. */
  public static final int MOST_KEYS = 64;

  /**
   * Maximum length of a key in characters. Together with the secret's name it is a key of a
   * Kubernetes Secret.
   */
  public static final int LONGEST_KEY = 128;

  /** Maximum size of one value in bytes of UTF-8. */
  public static final int LARGEST_VALUE = 64 * 1024;

  /** Maximum size of all values of one secret in bytes. */
  public static final int LARGEST = 256 * 1024;

  /**
   * Maximum size of all secrets of one job in bytes: the limit of a Kubernetes Secret, minus a
   * margin for its labels.
   */
  public static final int LARGEST_OF_JOB = 1_000_000;

  /**
   * Maximum size of all secrets of an array job in bytes, because each element has its own
   * Kubernetes Secret.
   */
  public static final int LARGEST_OF_ARRAY = 64 * 1024;

  /**
   * Name of the secret with the project's registry credentials. Each pod of the project pulls its
   * image with these credentials. It has one key, {@link #LOGIN_KEY}.
   */
  public static final String REGISTRY_LOGIN = "registry-login";

  /** Key of the registry credentials, as in {@code dockerconfigjson} of Kubernetes. */
  public static final String LOGIN_KEY = ".dockerconfigjson";

  /**
   * Maximum size of the registry credentials in bytes. They fit into one Kubernetes Secret together
   * with {@link #LARGEST_OF_JOB}.
   */
  public static final int LARGEST_LOGIN = 16 * 1024;

  /**
   * The last change.
   *
   * @param by principal that created it
   */
  public record Change(Instant at, String by) {}

  public ProjectSecret {
    keys = Collections.unmodifiableSortedMap(new TreeMap<>(keys));
  }

  /** Returns the size of its values and key names in an attempt, in bytes. */
  public long bytes() {
    return keys.entrySet().stream()
        .mapToLong(key -> name.length() + 1L + key.getKey().length() + key.getValue())
        .sum();
  }

  /**
   * Returns why the secrets of a job are too large, empty if they are not.
   *
   * @param array whether the job is an array
   */
  public static Optional<String> tooLarge(Collection<ProjectSecret> named, boolean array) {
    long bytes = named.stream().mapToLong(ProjectSecret::bytes).sum();
    int most = array ? LARGEST_OF_ARRAY : LARGEST_OF_JOB;
    return bytes <= most
        ? Optional.empty()
        : Optional.of(
            ("The secrets that the job names have %d bytes including key names, but at most %d"
                    + " are allowed%s.")
                .formatted(bytes, most, array ? " for an array" : ""));
  }

  /** Returns the secret with other values. */
  public ProjectSecret replaced(SortedMap<String, Integer> others, Change change) {
    return with().keys(others).changed(change).version(version + 1).build();
  }
}
