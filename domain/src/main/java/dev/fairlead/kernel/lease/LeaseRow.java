package dev.fairlead.kernel.lease;

/**
 * A lease as stored.
 *
 * @param watermark as of {@link HeldLease}
 * @param released whether the holder released it. It may then be taken immediately
 * @param orphaned whether the holder's process has ended, as its database session shows. False if
 *     unknown
 */
public record LeaseRow(
    String name,
    String holder,
    long epoch,
    long renewals,
    long watermark,
    boolean released,
    boolean orphaned) {}
