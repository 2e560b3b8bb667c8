package dev.fairlead.kernel.installation.service;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Reads the installation, and declares its database to be the live one. */
@Service
public class Installations {
  private static final Logger LOG = LoggerFactory.getLogger(Installations.class);
  private final Transactions transactions;
  private final LeaseStore leases;
  private final AuditLog audit;

  public Installations(Transactions transactions, LeaseStore leases, AuditLog audit) {
    this.transactions = transactions;
    this.leases = leases;
    this.audit = audit;
  }

  /** The current installation, even after another process has raised its incarnation. */
  public Installation current() {
    return new Installation(leases.installation().id(), leases.incarnation());
  }

  /**
   * Declares this database to be the live one: see {@link LeaseStore#raiseIncarnation}.
   *
   * @param expected incarnation that the caller has read
   * @return with the next incarnation. Unchanged when only validated
   * @throws Refusal FORBIDDEN, VERSION_MISMATCH when the incarnation is another
   */
  public Installation raise(Actor actor, long expected, boolean validateOnly) {
    Permissions.require(actor, "raiseIncarnation");
    Installation now = current();
    if (now.incarnation() != expected) {
      throw moved(now.incarnation());
    }
    if (validateOnly) {
      return now;
    }
    int next = now.incarnation() + 1;
    transactions.run(() -> {
      if (!leases.raiseIncarnation(now.incarnation())) {
        throw moved(next);
      }
      audit.append(
          new AuditRecord(
                  actor,
                  "raiseIncarnation",
                  now.label(),
                  true,
                  new TreeMap<>(Map.of("incarnation", next)))
              .changed(now, new Installation(now.id(), next)));
    });
    LOG.warn("{} declared this database to be the active one: incarnation {}", actor.name(), next);
    return new Installation(now.id(), next);
  }

  private static Refusal moved(int incarnation) {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "The incarnation is now "
            + incarnation
            + ": it was raised since it was read. Read it again, and repeat only if another restore came after that.");
  }
}
