package dev.fairlead.people.audit;

import java.time.Instant;

/**
 * Ties one row of the audit to the one before it. Who has no key can neither make nor change one.
 *
 * @param sequence from 1, without gaps
 * @param position of the row
 * @param at of the row
 * @param content SHA-256 of what the row says
 * @param previous signature of the link before, {@link Digest#NONE} of the first
 * @param signature HMAC of all the above
 */
public record ChainLink(
    long sequence,
    ChainPosition position,
    Instant at,
    Digest content,
    Digest previous,
    Digest signature) {}
