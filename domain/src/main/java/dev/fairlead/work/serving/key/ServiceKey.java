package dev.fairlead.work.serving.key;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelServiceId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * An API key of a model service, without its text.
 *
 * @param hash hash of its text, see {@link ServiceKeyText#hash}
 * @param createdBy the principal that created it
 * @param revokedAt null until it is revoked
 * @param requestsPerMinute limit in a calendar minute, from 1, null if none
 * @param tokensPerMinute limit of prompt and completion tokens together in a calendar minute, from
 *     1, null if none
 * @param lastUsedAt time of its last request that a replica answered, null before the first
 */
@RecordBuilder
public record ServiceKey(
    Name key,
    TenantId tenant,
    String hash,
    String createdBy,
    Instant createdAt,
    Instant expiresAt,
    @Nullable Instant revokedAt,
    @Nullable Integer requestsPerMinute,
    @Nullable Integer tokensPerMinute,
    @Nullable Instant lastUsedAt)
    implements ServiceKeyBuilder.With {
  /** Maximum number of valid keys of a service. */
  public static final int MOST = 100;

  /** Maximum number of keys of a service, including revoked and expired keys. */
  public static final int MOST_KEPT = 1000;

  public static final int LONGEST_NAME = 63;

  /** Highest limit in a minute. */
  public static final int HIGHEST_LIMIT = 1_000_000_000;

  /**
   * Identifies a key.
   *
   * @param name DNS label, unique within the service. A revoked key keeps its name
   */
  public record Name(ModelServiceId service, String name) implements Comparable<Name> {
    @Override
    public int compareTo(Name other) {
      return Comparator.comparing(Name::service).thenComparing(Name::name).compare(this, other);
    }
  }

  /** Returns whether the key is valid at that time. */
  public boolean validAt(Instant now) {
    return revokedAt == null && now.isBefore(expiresAt);
  }

  /** Revoked at that time, or earlier if it was revoked before. */
  public ServiceKey revoked(Instant now) {
    return revokedAt == null ? withRevokedAt(now) : this;
  }

  /** Logs and error messages have no hash. */
  @Override
  public String toString() {
    return "key " + key.name + " of service " + key.service.text();
  }
}
