package dev.fairlead.people.audit;

import java.time.Instant;
import java.util.Comparator;

/** Order of the audit of a tenant: by time, then by number. */
public record AuditPosition(Instant at, long seq) implements Comparable<AuditPosition> {
  /** In front of everything when the newest comes first. */
  public static final AuditPosition END =
      new AuditPosition(Instant.parse("9999-01-01T00:00:00Z"), Long.MAX_VALUE);

  private static final Comparator<AuditPosition> ORDER =
      Comparator.comparing(AuditPosition::at).thenComparingLong(AuditPosition::seq);

  @Override
  public int compareTo(AuditPosition other) {
    return ORDER.compare(this, other);
  }
}
