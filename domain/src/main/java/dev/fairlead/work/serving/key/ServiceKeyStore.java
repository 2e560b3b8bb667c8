package dev.fairlead.work.serving.key;

import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.ModelServiceId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keys of model services with their usage. Keys are removed with their service. Usage remains for
 * {@link #KEPT}.
 */
public interface ServiceKeyStore {
  /** Usage is kept for this time. */
  Duration KEPT = Duration.ofDays(400);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN for the name of another key of the
   *     service, also of a revoked one
   */
  void insert(ServiceKey key);

  /** Keys of a service by name, with revoked and expired ones. */
  List<ServiceKey> keys(TenantId tenant, ModelServiceId service);

  /**
   * Keys of a service as {@link #keys}. Deletes ended keys without use since the time. Excludes
   * other transactions that lock the keys of the service.
   */
  List<ServiceKey> locked(TenantId tenant, ModelServiceId service, Instant before);

  Optional<ServiceKey> find(TenantId tenant, ServiceKey.Name key);

  /** Stores the time when the key was revoked. */
  void revoke(ServiceKey key);

  /**
   * Keys of all tenants that were created or revoked since a state, or all valid keys.
   *
   * @param since the state that the caller has, 0 for none
   * @param now time when all keys are valid, if all are returned
   */
  KeyChanges changes(long since, Instant now);

  /**
   * Usage of the keys of a service by period and then by the name of the key.
   *
   * @param after the last entry of the page before, null for the first page
   */
  List<KeyHour> usage(
      TenantId tenant, ModelServiceId service, UseSpan span, @Nullable Position after, int limit);

  /**
   * An entry of {@link #usage}.
   *
   * @param begin begin of its period
   * @param key name of its key
   */
  record Position(Instant begin, String key) {}

  /**
   * Usage of all keys of a tenant by project, service and key, including deleted services.
   *
   * @param from start of the first hour
   * @param to end of the last hour
   */
  List<ServiceUse> usage(TenantId tenant, Instant from, Instant to);

  /** Prompt and completion tokens of all keys of a service by the begin of the period. */
  SortedMap<Instant, Long> tokens(TenantId tenant, ModelServiceId service, UseSpan span);

  /** Time of the database, which is the time of all gates. */
  Instant now();

  /**
   * Adds a batch of a gate, and deletes usage that is older than {@link #KEPT}. A batch with a
   * number that was already stored adds nothing. Counts of keys and services that no longer exist
   * are lost.
   *
   * @param now time of the database
   */
  void add(GateBatch batch, Instant now);

  /**
   * Removes a stopped gate, which then shares no limits. Its batches must all be confirmed, because
   * a batch that is repeated later would be added again.
   */
  void leave(UUID gate);

  /** Number of gates that stored a batch after that time. */
  int gates(Instant since);

  /** Use of all keys in the minute that begins at that time. */
  List<KeyMinute> minutes(Instant minute);
}
