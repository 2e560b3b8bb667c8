package dev.fairlead.care.health.service;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.care.health.HealthRule;
import dev.fairlead.care.health.Xid;
import dev.fairlead.care.health.XidTable;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads the fault table and changes the rules for its codes. */
@Service
public class HealthTable {
  private static final String UPDATE = "updateHealthRule";

  private final Transactions transactions;
  private final HealthStore health;
  private final Rules rules;
  private final AuditLog audit;

  public HealthTable(Transactions transactions, HealthStore health, Rules rules, AuditLog audit) {
    this.transactions = transactions;
    this.health = health;
    this.rules = rules;
    this.audit = audit;
  }

  /**
   * A row of the fault table with its current rule.
   *
   * @param shipped the row that Fairlead ships
   */
  public record Row(HealthRule rule, Xid shipped) {
    /** Returns the rule in force. */
    public Xid xid() {
      return rule.shipped() ? shipped : rule.xid();
    }
  }

  /** Returns all rows by code. */
  public List<Row> all(Actor actor) {
    Permissions.require(actor, "listHealthRules");
    SortedMap<Integer, HealthRule> set = new TreeMap<>();
    health.rules().forEach(rule -> set.put(rule.xid().code(), rule));
    return XidTable.SHIPPED.all().stream().map(shipped -> row(shipped, set)).toList();
  }

  /**
   * Returns the row of a code.
   *
   * @param code an XID, or the name of a DCGM code
   * @throws Refusal FORBIDDEN, NOT_FOUND for a code that is not in the table
   */
  public Row one(Actor actor, String code) {
    Permissions.require(actor, "getHealthRule");
    return stored(XidTable.number(code).orElseThrow(() -> unknown(code)));
  }

  /**
   * Changes a row. The new rule applies from the next report. Open incidents do not change.
   *
   * @param wanted the new row, of a code in the table
   * @param expected version that the caller read, null for any
   * @param force whether to accept a rule that would have isolated more nodes than the circuit
   *     breakers allow
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, INVALID_FIELD for a scope of a code
   *     that only follows other errors, ILLEGAL_STATE if the rule exceeds the circuit breakers or
   *     not all events could be read
   */
  public Row update(
      Actor actor, Xid wanted, @Nullable Long expected, boolean force, boolean validateOnly) {
    Permissions.require(actor, UPDATE);
    Row before = stored(wanted.code());
    if (expected != null && expected != before.rule().version()) {
      throw stale(wanted);
    }
    refuseWithoutEffect(wanted);
    List<String> beyond =
        widens(wanted, before.xid()) ? rules.beyond(wanted, before.xid()) : List.of();
    if (!beyond.isEmpty() && !force) {
      throw beyond(wanted, beyond);
    }
    HealthRule next = before.rule().with(wanted, before.shipped());
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            health.write(next);
            audit.append(row(actor, before, next, beyond));
          });
    } catch (Conflict raced) {
      throw stale(wanted);
    }
    return new Row(next, before.shipped());
  }

  /** Returns whether the new row can isolate a node that the current row does not isolate. */
  private static boolean widens(Xid wanted, Xid present) {
    return wanted.scope() != FaultScope.NONE
        && (present.scope() == FaultScope.NONE || present.onRepeat() && !wanted.onRepeat());
  }

  private static void refuseWithoutEffect(Xid wanted) {
    if (!wanted.counted() && wanted.scope() != FaultScope.NONE) {
      throw Refusal.field(
          "/quarantine",
          ("%s only accompanies other errors and takes nothing out of service: its quarantine is"
                  + " NONE.")
              .formatted(wanted.text()),
          "NONE");
    }
  }

  private AuditRecord row(Actor actor, Row before, HealthRule next, List<String> beyond) {
    String code = XidTable.symbol(next.xid().code());
    SortedMap<String, Object> detail = new TreeMap<>();
    if (next.xid().code() < XidTable.DCGM) {
      detail.put("xid", next.xid().code());
    } else {
      detail.put("code", code);
    }
    if (!beyond.isEmpty()) {
      detail.put("forced", beyond);
    }
    return new AuditRecord(actor, UPDATE, code, true, detail)
        .changed("health-rule/" + code, before.rule(), next)
        .kept(ConfigKind.HEALTH_RULE, code, before.rule(), next);
  }

  private Row stored(int code) {
    Xid shipped = XidTable.SHIPPED.find(code).orElseThrow(() -> unknown(XidTable.symbol(code)));
    SortedMap<Integer, HealthRule> set = new TreeMap<>();
    health.rules().forEach(rule -> set.put(rule.xid().code(), rule));
    return row(shipped, set);
  }

  private static Row row(Xid shipped, SortedMap<Integer, HealthRule> set) {
    return new Row(set.getOrDefault(shipped.code(), HealthRule.shipped(shipped)), shipped);
  }

  private static Refusal unknown(String code) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "The table has no code %s. Use a code of the table, such as 79 or DCGM_FR_ROW_REMAP_FAILURE."
            .formatted(code));
  }

  private static Refusal beyond(Xid wanted, List<String> beyond) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        ("By the events of the last 7 days, %s could take more out of service than the circuit"
                + " breaker allows: %s. Check it with fairlead incident rule replay. Use force=true to set"
                + " it anyway.")
            .formatted(wanted.text(), beyond.getFirst()),
        beyond.stream()
            .map(text -> new FieldProblem("/quarantine", ProblemCode.ILLEGAL_STATE, text, null))
            .toList());
  }

  private static Refusal stale(Xid wanted) {
    return Refusal.changed("The rule of %s".formatted(wanted.text()));
  }
}
