package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.Denials;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Origin;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Writes denials to the audit every second, one row for each caller. Unknown callers get one row
 * immediately, and one a minute while their requests continue, because requests without a token
 * must not fill the audit. A killed process loses the denials since its last row. Rows that the
 * database refused are written later.
 */
@Component
public class DenialLoop implements Loop, Denials {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration UNKNOWN_EVERY = Duration.ofMinutes(1);

  /** Consecutive failed tenants after which the database counts as away and the pass ends. */
  private static final int MOST_FAILURES = 3;

  private final Transactions transactions;
  private final TenantStore tenants;
  private final AuditLog audit;
  private final Recurring unknownDue;
  private @Nullable UnknownCallers unknown;
  private Map<Caller, Denied> denied = new LinkedHashMap<>();

  public DenialLoop(
      Transactions transactions, TenantStore tenants, AuditLog audit, MonotonicClock clock) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.audit = audit;
    unknownDue = Recurring.fromNowOn(clock, UNKNOWN_EVERY);
  }

  private record Caller(TenantId tenant, String name) {}

  /** The first denial of a caller, and the number of each operation. */
  private record Denied(
      Actor actor,
      String operation,
      String subject,
      ProblemCode code,
      SortedMap<String, Object> operations,
      int count) {
    AuditRecord row() {
      SortedMap<String, Object> detail = new TreeMap<>();
      detail.put("code", code.name());
      if (count > 1) {
        detail.put("operations", operations);
      }
      return new AuditRecord(actor, operation, subject, false, detail, count);
    }

    Denied and(String another) {
      return plus(new Denied(actor, another, subject, code, new TreeMap<>(Map.of(another, 1)), 1));
    }

    Denied plus(Denied later) {
      SortedMap<String, Object> all = new TreeMap<>(operations);
      later.operations.forEach(
          (name, times) -> all.merge(name, times, (had, more) -> (Integer) had + (Integer) more));
      return new Denied(actor, operation, subject, code, all, count + later.count);
    }
  }

  @Override
  public synchronized void note(Actor actor, String operation, String subject, ProblemCode code) {
    Caller caller = new Caller(actor.tenant(), actor.name());
    Denied before = denied.get(caller);
    Denied now =
        before == null
            ? new Denied(actor, operation, subject, code, new TreeMap<>(Map.of(operation, 1)), 1)
            : before.and(operation);
    denied.put(caller, now);
  }

  @Override
  public synchronized void unknown(Origin origin, String subject, ProblemCode code) {
    UnknownCallers before = unknown == null ? new UnknownCallers(origin, subject, code) : unknown;
    unknown = before.and(origin);
  }

  private synchronized @Nullable UnknownCallers takenUnknown() {
    UnknownCallers all = unknown;
    unknown = null;
    return all;
  }

  private synchronized void putBack(UnknownCallers unwritten) {
    unknown = unknown == null ? unwritten : unwritten.plus(unknown);
  }

  private void writeUnknown() {
    UnknownCallers unwritten = takenUnknown();
    if (unwritten == null) {
      return;
    }
    boolean written = false;
    try {
      Tenant first = transactions.read(() -> tenants.tenantNamed(Tenant.FIRST)).orElse(null);
      if (first != null) {
        transactions.run(() -> audit.append(unwritten.row(first.id())));
        written = true;
        unknownDue.done();
      }
    } finally {
      if (!written) {
        putBack(unwritten);
      }
    }
  }

  private synchronized Map<Caller, Denied> taken() {
    Map<Caller, Denied> all = denied;
    denied = new LinkedHashMap<>();
    return all;
  }

  /** Restores failed rows for the next pass, together with later denials. */
  private synchronized void putBack(Map<Caller, Denied> unwritten) {
    unwritten.forEach(
        (caller, first) -> denied.merge(caller, first, (now, then) -> then.plus(now)));
  }

  @Override
  public boolean tick() {
    write(unknownDue.due());
    return false;
  }

  @Override
  public void close() {
    write(true);
  }

  /**
   * Writes all rows. A failed row does not affect others, and the first failure is thrown at the
   * end.
   */
  private void write(boolean unknownToo) {
    RuntimeException failed = writeKnown();
    if (unknownToo) {
      try {
        writeUnknown();
      } catch (RuntimeException failure) {
        failed = failed == null ? failure : failed;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  /** Tenants with failed rows are last in the next pass. */
  private @Nullable RuntimeException writeKnown() {
    Map<Caller, Denied> unwritten = taken();
    Map<Caller, Denied> refused = new LinkedHashMap<>();
    RuntimeException failed = null;
    int failures = 0;
    try {
      for (TenantId tenant : unwritten.keySet().stream().map(Caller::tenant).distinct().toList()) {
        Map<Caller, Denied> some = new LinkedHashMap<>(unwritten);
        some.keySet().removeIf(caller -> !caller.tenant().equals(tenant));
        try {
          List<AuditRecord> rows = some.values().stream().map(Denied::row).toList();
          transactions.run(() -> audit.append(rows));
          failures = 0;
        } catch (RuntimeException failure) {
          failed = failed == null ? failure : failed;
          refused.putAll(some);
          failures++;
        }
        unwritten.keySet().removeAll(some.keySet());
        if (failures == MOST_FAILURES) {
          break;
        }
      }
    } finally {
      putBack(unwritten);
      putBack(refused);
    }
    return failed;
  }

  @Override
  public String name() {
    return "denials";
  }

  @Override
  public String role() {
    return "api";
  }

  @Override
  public Duration idle() {
    return EVERY;
  }
}
