package dev.fairlead.money.usage.service;

import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageLabelStore;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.springframework.stereotype.Service;

/** Sets the labels that group the use of a tenant. */
@Service
public class UsageLabelCommands {
  /** Name in the history of the configuration. */
  static final String NAME = "usage";

  private static final String OPERATION = "nameUsageLabels";

  /** Maximum number of entries of a response, the newest first. */
  private static final int SHOWN = 100;

  private final UsageLabelStore labels;
  private final UseLedger ledger;
  private final Transactions transactions;
  private final AuditLog audit;

  public UsageLabelCommands(
      UsageLabelStore labels, UseLedger ledger, Transactions transactions, AuditLog audit) {
    this.labels = labels;
    this.ledger = ledger;
    this.transactions = transactions;
    this.audit = audit;
  }

  /**
   * The history of labels, the newest first. At most a hundred.
   *
   * @throws dev.fairlead.kernel.problem.Refusal FORBIDDEN
   */
  public List<UsageLabels> named(Actor actor) {
    Permissions.require(actor, "listUsageLabels");
    return transactions.read(() -> labels.named(actor.tenant(), SHOWN));
  }

  /**
   * Sets labels from the next hour. Hours that have begun do not change.
   *
   * @param keys keys of labels, at most {@link UsageLabels#MOST}, empty if none
   * @throws dev.fairlead.kernel.problem.Refusal FORBIDDEN
   */
  public UsageLabels name(Actor actor, List<String> keys, boolean validateOnly) {
    Permissions.require(actor, OPERATION);
    return transactions.callOrTry(validateOnly, () -> put(actor, keys));
  }

  private UsageLabels put(Actor actor, List<String> keys) {
    TenantId tenant = actor.tenant();
    labels.lock(tenant);
    UsageLabels before = labels.named(tenant, 1).stream().findFirst().orElse(UsageLabels.NONE);
    UsageLabels after = new UsageLabels(nextHour(), keys, actor.name());
    labels.put(tenant, after);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("keys", String.join(", ", after.keys()));
    detail.put("from", after.from().toString());
    audit.append(
        new AuditRecord(actor, OPERATION, NAME, true, detail)
            .changed(before, after)
            .kept(ConfigKind.USAGE_LABELS, NAME, before, after));
    return after;
  }

  /** The next hour. A closed hour counts as begun, regardless of the clock. */
  private Instant nextHour() {
    long now = Math.max(ledger.now(), ledger.open());
    return Instant.ofEpochMilli((now / HourBook.HOUR_MILLIS + 1) * HourBook.HOUR_MILLIS);
  }
}
