package dev.fairlead.kernel.idempotency;

import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * Remembers answers for 24 hours. Used inside the transaction of the effect: the key is claimed by
 * an advisory lock, and the response is stored with the effect or not at all. All keys of one call
 * belong to one tenant.
 */
public interface IdempotencyStore {
  /**
   * Claims keys until the end of the transaction. Returns the claimed ones, without those held by
   * another transaction.
   */
  Set<IdempotencyKey> claim(Collection<IdempotencyKey> keys);

  /** Stored answers of these keys. Without new keys. */
  Map<IdempotencyKey, Remembered> find(Collection<IdempotencyKey> keys);

  void remember(Map<IdempotencyKey, Remembered> answers);

  /**
   * A stored response.
   *
   * @param requestHash hash of the body it answered
   * @param reference id of the created object, for example a job id
   */
  record Remembered(String requestHash, String reference) {}
}
