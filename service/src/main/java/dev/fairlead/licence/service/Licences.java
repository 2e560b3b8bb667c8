package dev.fairlead.licence.service;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.audit.ConfigKind;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.licence.Licence;
import dev.fairlead.licence.LicenceStore;
import dev.fairlead.licence.LicenceUse;
import dev.fairlead.problem.FieldProblem;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** The licences of the installation: what is held of them, and how many there are. */
@Service
public class Licences {
  private final Transactions transactions;
  private final LicenceStore licences;
  private final InventoryStore inventory;
  private final AuditLog audit;

  public Licences(
      Transactions transactions, LicenceStore licences, InventoryStore inventory, AuditLog audit) {
    this.transactions = transactions;
    this.licences = licences;
    this.inventory = inventory;
    this.audit = audit;
  }

  /** By name. */
  public List<LicenceUse> all(Actor actor) {
    Permissions.require(actor, "listLicences");
    return licences.uses();
  }

  /**
   * Adds a licence, or sets how many there are of it. Attempts that hold more go on.
   *
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED for one too many, INVALID_FIELD for a cluster that is
   *     not there, ILLEGAL_STATE for another cluster than it has
   */
  public LicenceUse put(Actor actor, Licence licence, boolean validateOnly) {
    Permissions.require(actor, "putLicence");
    AtomicReference<LicenceUse> now = new AtomicReference<>();
    transactions.runOrTry(
        validateOnly,
        () -> {
          Optional<Licence> old = found(licence.name());
          if (old.isEmpty() && licences.licences().size() >= Licence.KINDS) {
            throw new Refusal(
                ProblemCode.LIMIT_EXCEEDED,
                "There are %d licences, the most; delete one first.".formatted(Licence.KINDS));
          }
          refuseOther(old.orElse(null), licence);
          if (!licences.put(licence)) {
            throw ofOther(found(licence.name()).orElse(licence));
          }
          audit(actor, "putLicence", old.orElse(null), licence);
          now.set(
              licences.uses().stream()
                  .filter(use -> use.licence().name().equals(licence.name()))
                  .findFirst()
                  .orElseThrow());
        });
    return Objects.requireNonNull(now.get(), "the work was done");
  }

  private static Refusal ofOther(Licence old) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Licence \"%s\" is of %s: set it with that, or delete it first."
            .formatted(
                old.name(), old.cluster() == null ? "all clusters" : "cluster " + old.cluster()));
  }

  private void refuseOther(@Nullable Licence old, Licence next) {
    String cluster = next.cluster();
    if (old != null && !Objects.equals(old.cluster(), cluster)) {
      throw ofOther(old);
    }
    if (cluster != null
        && inventory.clusters().stream().noneMatch(each -> each.name().equals(cluster))) {
      String detail = "There is no cluster \"" + cluster + "\". GET /api/v1/clusters lists them.";
      throw new Refusal(
          ProblemCode.INVALID_FIELD,
          detail,
          List.of(new FieldProblem("/cluster", ProblemCode.INVALID_FIELD, detail, null)));
    }
  }

  /**
   * Jobs that wait for it wait on.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE while a job holds it
   */
  public void delete(Actor actor, String name, boolean validateOnly) {
    Permissions.require(actor, "deleteLicence");
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            Licence old = found(name).orElseThrow(() -> missing(name));
            boolean there = licences.remove(name);
            if (!there) {
              throw missing(name);
            }
            audit(actor, "deleteLicence", old, null);
          });
    } catch (Conflict held) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Jobs hold licence \"%s\". Set it to 0, so that nothing new starts with it, and delete it when they have ended."
              .formatted(held.subject()));
    }
  }

  private Optional<Licence> found(String name) {
    return licences.licences().stream().filter(each -> each.name().equals(name)).findFirst();
  }

  private static Refusal missing(String name) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "There is no licence \"" + name + "\". GET /api/v1/licences lists them.");
  }

  private void audit(
      Actor actor, String operation, @Nullable Licence before, @Nullable Licence after) {
    Licence named = Objects.requireNonNull(after == null ? before : after);
    TreeMap<String, Object> detail = new TreeMap<>();
    detail.put("count", named.count());
    audit.append(
        new AuditRecord(actor, operation, named.name(), true, detail)
            .changed(before, after)
            .kept(ConfigKind.LICENCE, named.name(), before, after));
  }
}
