package dev.fairlead.people.audit.chain;

import java.time.Instant;

/**
 * An audit row for the chain.
 *
 * @param at start of the transaction of the change, in microseconds
 * @param content canonical text of the row
 */
public record ChainRow(ChainPosition position, Instant at, String content) {}
