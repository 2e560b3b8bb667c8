package dev.fairlead.kernel.idempotency;

/**
 * Identifies a repeated request.
 *
 * @param key the caller's {@code Idempotency-Key}, 1..255 printable characters
 * @param requestHash hash of operation and body
 */
public record RequestKey(String key, String requestHash) {}
