package dev.fairlead.kernel.lease;

/**
 * A lease this process holds.
 *
 * @param name {@code scheduler}, {@code event-publisher} or {@code cluster/<bare id>}
 * @param holder the process, human-readable
 * @param epoch fencing token: incarnation in the high 32 bits, a counter in the low ones. Rises
 *     with every take-over
 * @param renewals number of renewals under this epoch
 * @param watermark progress of this database within the scope of the lease. Never decreases
 */
public record HeldLease(String name, String holder, long epoch, long renewals, long watermark) {}
