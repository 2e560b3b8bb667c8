package dev.fairlead.people.audit;

import java.time.Instant;

/**
 * Chains one audit row to the previous one. Links cannot be created or changed without the key.
 *
 * @param sequence from 1, without gaps
 * @param position of the row
 * @param at of the row
 * @param content SHA-256 of the row's content
 * @param previous signature of the previous link, {@link Digest#NONE} for the first
 * @param signature HMAC of all the above
 */
public record ChainLink(
    long sequence,
    ChainPosition position,
    Instant at,
    Digest content,
    Digest previous,
    Digest signature) {}
