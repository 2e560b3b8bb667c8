package dev.fairlead.people.audit;

import java.time.Instant;

/**
 * An audit row for the chain.
 *
 * @param at when the transaction of the change began, in microseconds
 * @param content canonical text of the row
 */
public record ChainRow(ChainPosition position, Instant at, String content) {}
