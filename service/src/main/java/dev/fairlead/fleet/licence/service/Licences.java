package dev.fairlead.fleet.licence.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.licence.Licence;
import dev.fairlead.fleet.licence.LicenceStore;
import dev.fairlead.fleet.licence.LicenceStore.Held;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.ConfigWriter;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads, sets and deletes the licences of the installation. */
@Service
public class Licences implements ConfigDocumentRevert<Licence> {
  private final Transactions transactions;
  private final LicenceStore licences;
  private final ConfigStore documents;
  private final ConfigWriter changes;
  private final InventoryStore inventory;

  public Licences(
      Transactions transactions,
      LicenceStore licences,
      ConfigStore documents,
      InventoryStore inventory,
      AuditLog audit) {
    this.transactions = transactions;
    this.licences = licences;
    this.documents = documents;
    this.changes = new ConfigWriter(documents, audit);
    this.inventory = inventory;
  }

  /** Returns all licences by name. */
  public List<LicenceView> all(Actor actor) {
    Permissions.require(actor, "listLicences");
    SortedMap<String, Held> held = licences.held();
    return licences.licences().stream().map(licence -> view(licence, held)).toList();
  }

  /**
   * Adds a licence or sets its count. Attempts that hold more than the count continue.
   *
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED above {@link Licence#KINDS} licences, INVALID_FIELD
   *     for an unknown cluster, ILLEGAL_STATE for a different cluster than the stored one,
   *     VERSION_MISMATCH when another request changed the licence at the same time
   */
  public LicenceView put(Actor actor, Licence licence, boolean validateOnly) {
    Permissions.require(actor, "putLicence");
    try {
      return transactions.callOrTry(validateOnly, () -> stored(actor, licence));
    } catch (Conflict raced) {
      throw raced(raced);
    }
  }

  private LicenceView stored(Actor actor, Licence licence) {
    ConfigDocument<Licence> old = found(licence.name()).orElse(null);
    if (old == null && licences.licences().size() >= Licence.KINDS) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Fairlead has %d licences, the maximum. Delete one first.".formatted(Licence.KINDS));
    }
    refuseOtherCluster(old == null ? null : old.value(), licence);
    changes.put(
        actor,
        "putLicence",
        old,
        old == null
            ? ConfigDocument.ofPlatform(Licence.DOCUMENTS, licence.name(), licence)
            : old.with(licence),
        count(licence));
    return view(licence, licences.held());
  }

  private static LicenceView view(Licence licence, SortedMap<String, Held> held) {
    return LicenceView.of(licence, held.getOrDefault(licence.name(), Held.NONE));
  }

  private void refuseOtherCluster(@Nullable Licence old, Licence next) {
    String cluster = next.cluster();
    if (old != null && !Objects.equals(old.cluster(), cluster)) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Licence \"%s\" belongs to %s: set it with that scope, or delete it first."
              .formatted(
                  old.name(), old.cluster() == null ? "all clusters" : "cluster " + old.cluster()));
    }
    if (cluster != null
        && inventory.clusters().stream().noneMatch(each -> each.name().equals(cluster))) {
      throw Refusal.field(
          "/cluster", "There is no cluster \"" + cluster + "\". GET /api/v1/clusters lists them.");
    }
  }

  /**
   * Deletes a licence. Jobs that wait for the licence continue to wait.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE while a job holds it
   */
  public void delete(Actor actor, String name, boolean validateOnly) {
    Permissions.require(actor, "deleteLicence");
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            ConfigDocument<Licence> old =
                found(name)
                    .orElseThrow(() ->
                        new Refusal(
                            ProblemCode.NOT_FOUND,
                            "There is no licence \""
                                + name
                                + "\". GET /api/v1/licences lists them."));
            changes.remove(actor, "deleteLicence", old, count(old.value()));
          });
    } catch (Conflict raced) {
      throw raced(raced);
    }
  }

  private static Refusal raced(Conflict conflict) {
    return conflict.guard() == Guard.REFERENCED
        ? new Refusal(
            ProblemCode.ILLEGAL_STATE,
            ("Jobs hold licence \"%s\". Set it to 0 so that no further job starts with it, and"
                    + " delete it when these jobs have ended.")
                .formatted(conflict.subject()))
        : new Refusal(
            ProblemCode.VERSION_MISMATCH,
            "Another request changed licence \"%s\" at the same time. Read it again and repeat."
                .formatted(conflict.subject()));
  }

  private Optional<ConfigDocument<Licence>> found(String name) {
    return documents.find(Licence.DOCUMENTS, null, name);
  }

  private static SortedMap<String, Object> count(Licence licence) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("count", licence.count());
    return detail;
  }

  @Override
  public ConfigType<Licence> type() {
    return Licence.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<Licence>> stored(Actor actor, String name) {
    Permissions.require(actor, "listLicences");
    return found(name);
  }

  @Override
  public void restore(Actor actor, ConfigDocument<Licence> document) {
    LicenceView _ = put(actor, document.value(), false);
  }
}
