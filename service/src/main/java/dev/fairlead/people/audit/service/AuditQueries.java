package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditEntry;
import dev.fairlead.people.audit.AuditFilter;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditPosition;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.springframework.stereotype.Component;

/** Reads the audit of a tenant. */
@Component
public class AuditQueries {
  private final Transactions transactions;

  /**
   * Default span of a query without a start, because a filter with few matches reads all of the
   * span.
   */
  private static final Duration WINDOW = Duration.ofDays(31);

  private final AuditLog audit;
  private final InstantSource clock;

  public AuditQueries(Transactions transactions, AuditLog audit, InstantSource clock) {
    this.transactions = transactions;
    this.audit = audit;
    this.clock = clock;
  }

  /**
   * Entries of the current tenant before the position, the newest first, without a start those of
   * the last 31 days before the end.
   *
   * @throws Refusal FORBIDDEN
   */
  public List<AuditEntry> newest(Actor actor, AuditFilter filter, AuditPosition before, int limit) {
    Permissions.require(actor, "listAudit");
    Instant end = filter.until() == null ? clock.instant() : filter.until();
    AuditFilter bounded = filter.since() == null ? filter.from(end.minus(WINDOW)) : filter;
    return transactions.read(() -> audit.newest(actor.tenant(), bounded, before, limit));
  }
}
