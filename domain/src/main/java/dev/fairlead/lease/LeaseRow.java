package dev.fairlead.lease;

/**
 * A lease as stored.
 *
 * @param mark as of {@link HeldLease}
 * @param released whether the holder handed it back; it may then be taken at once
 */
public record LeaseRow(
    String name, String holder, long term, long renewals, long mark, boolean released) {}
