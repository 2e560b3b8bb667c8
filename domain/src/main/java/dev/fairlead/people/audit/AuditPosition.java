package dev.fairlead.people.audit;

import java.time.Instant;
import java.util.Comparator;

/** Position in the audit of a tenant, ordered by time, then by number. */
public record AuditPosition(Instant at, long seq) implements Comparable<AuditPosition> {
  /** The position before everything in newest-first order. */
  public static final AuditPosition END =
      new AuditPosition(Instant.parse("9999-01-01T00:00:00Z"), Long.MAX_VALUE);

  private static final Comparator<AuditPosition> ORDER =
      Comparator.comparing(AuditPosition::at).thenComparingLong(AuditPosition::seq);

  @Override
  public int compareTo(AuditPosition other) {
    return ORDER.compare(this, other);
  }
}
