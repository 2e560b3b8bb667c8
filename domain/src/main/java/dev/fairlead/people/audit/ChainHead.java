package dev.fairlead.people.audit;

/**
 * Says how far the chain reaches, so that its end cannot be cut off unseen.
 *
 * @param sequence of the last link
 * @param link its signature
 * @param signature HMAC of both
 */
public record ChainHead(long sequence, Digest link, Digest signature) {}
