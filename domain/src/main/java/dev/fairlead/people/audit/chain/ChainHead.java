package dev.fairlead.people.audit.chain;

/**
 * Records the length of the chain, so that removing its end is detected.
 *
 * @param sequence sequence of the last link
 * @param link its signature
 * @param signature HMAC of both
 */
public record ChainHead(long sequence, Digest link, Digest signature) {}
