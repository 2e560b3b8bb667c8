package dev.fairlead.people.audit;

import java.time.Instant;

/**
 * A row of the audit as the chain sees it.
 *
 * @param at when the transaction of the change began, in microseconds
 * @param content all that the row says, in one form
 */
public record ChainRow(ChainPosition position, Instant at, String content) {}
