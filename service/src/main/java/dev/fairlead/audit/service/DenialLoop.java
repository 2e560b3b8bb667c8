package dev.fairlead.audit.service;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.audit.Denials;
import dev.fairlead.event.WakeUps;
import dev.fairlead.loop.Loop;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Origin;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Every second: writes what was denied since to the audit, one row for each caller, and one for all
 * that are not known. A flood of denials so costs a row a second. What was denied in the last
 * second of a process that is killed is not in the audit; what the database could not take is
 * written later.
 */
@Component
public class DenialLoop implements Loop, Denials {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private final Transactions transactions;
  private final TenantStore tenants;
  private final AuditLog audit;
  private @Nullable UnknownCallers unknown;
  private Map<Caller, Denied> denied = new LinkedHashMap<>();

  public DenialLoop(Transactions transactions, TenantStore tenants, AuditLog audit) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.audit = audit;
  }

  private record Caller(TenantId tenant, String name) {}

  /** The first of them, and how many of each operation. */
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

  /** What could not be written is written at the next turn, with what was denied since. */
  private synchronized void putBack(Map<Caller, Denied> unwritten) {
    unwritten.forEach(
        (caller, first) -> denied.merge(caller, first, (now, then) -> then.plus(now)));
  }

  @Override
  public boolean tick() {
    Map<Caller, Denied> unwritten = taken();
    try {
      for (TenantId tenant : unwritten.keySet().stream().map(Caller::tenant).distinct().toList()) {
        List<AuditRecord> rows =
            unwritten.entrySet().stream()
                .filter(entry -> entry.getKey().tenant().equals(tenant))
                .map(entry -> entry.getValue().row())
                .toList();
        transactions.run(() -> audit.append(rows));
        unwritten.keySet().removeIf(caller -> caller.tenant().equals(tenant));
      }
    } finally {
      putBack(unwritten);
    }
    writeUnknown();
    return false;
  }

  @Override
  public void close() {
    tick();
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

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of();
  }
}
