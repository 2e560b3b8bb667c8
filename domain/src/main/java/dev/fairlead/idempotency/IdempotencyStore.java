package dev.fairlead.idempotency;

import java.util.Optional;

/**
 * Remembers answers for 24 hours. Used inside the transaction of the effect: the key is claimed by
 * an advisory lock, the answer is stored with the effect or not at all.
 */
public interface IdempotencyStore {
  /**
   * Claims the key until the end of the transaction; false when another transaction holds it now.
   */
  boolean claim(IdempotencyKey key);

  Optional<Remembered> find(IdempotencyKey key);

  void remember(IdempotencyKey key, Remembered answer);

  /**
   * A stored answer.
   *
   * @param requestHash hash of the body it answered
   * @param reference what the effect made, for example a job id
   */
  record Remembered(String requestHash, String reference) {}
}
