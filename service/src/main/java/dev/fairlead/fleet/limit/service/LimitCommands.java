package dev.fairlead.fleet.limit.service;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.SetLimits;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigDocumentRevert;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.config.ConfigWriter;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads and changes the limits of the actor's tenant and of its projects. */
@Service
public class LimitCommands implements ConfigDocumentRevert<SetLimits> {
  private final Transactions transactions;
  private final ConfigStore documents;
  private final ConfigWriter changes;
  private final TenantStore tenants;
  private final int requestsPerMinute;

  public LimitCommands(
      Transactions transactions,
      ConfigStore documents,
      TenantStore tenants,
      AuditLog audit,
      LimitSettings settings) {
    this.transactions = transactions;
    this.documents = documents;
    this.changes = new ConfigWriter(documents, audit);
    this.tenants = tenants;
    this.requestsPerMinute = settings.requestsPerMinute();
  }

  /**
   * Returns the limits of a tenant or project.
   *
   * @param project name, null for the tenant itself
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public LimitsView view(Actor actor, @Nullable String project) {
    Permissions.require(actor, project == null ? "getTenantLimits" : "getProjectLimits");
    return transactions.read(() -> {
      Place place = place(actor, project);
      return place.with(place.set());
    });
  }

  /**
   * Replaces the limits. Use above a lowered limit remains, but cannot grow.
   *
   * @param project name, null for the tenant itself
   * @param values limits, where an absent limit has its default
   * @param expected version that the caller read, null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, INVALID_FIELD for a value above the
   *     maximum of a project of the tenant
   */
  public LimitsView update(
      Actor actor,
      @Nullable String project,
      SortedMap<Limit, Long> values,
      @Nullable Long expected,
      boolean validateOnly) {
    String operation = project == null ? "updateTenantLimits" : "updateProjectLimits";
    Permissions.require(actor, operation);
    try {
      return transactions.callOrTry(
          validateOnly,
          () -> {
            Place place = place(actor, project);
            if (expected != null && expected != place.set().version()) {
              throw changed();
            }
            ConfigDocument<SetLimits> next = place.set().with(place.set().value().with(values));
            place.refuseMoreThanTheTenants(next.value());
            return place.with(
                changes.put(actor, operation, place.set(), next, detail(next.value())));
          });
    } catch (Conflict raced) {
      throw changed();
    }
  }

  private Place place(Actor actor, @Nullable String name) {
    Tenant tenant = tenants.tenant(actor.tenant()).orElseThrow(() -> missing("tenant", "of yours"));
    ConfigDocument<SetLimits> whole = set(tenant.id(), null);
    if (name == null) {
      return new Place(tenant, null, whole, whole);
    }
    Project project =
        tenants
            .projectNamed(tenant.id(), name)
            .orElseThrow(() -> missing("project", "\"" + name + "\""));
    return new Place(tenant, name, set(tenant.id(), project), whole);
  }

  private ConfigDocument<SetLimits> set(TenantId tenant, @Nullable Project project) {
    ConfigDocument<SetLimits> none = SetLimits.none(tenant, project);
    return documents.find(SetLimits.DOCUMENTS, tenant, none.name()).orElse(none);
  }

  /** A tenant or project, with its own limits and the tenant's limits. */
  private final class Place {
    private final Tenant tenant;
    private final @Nullable String project;
    private final ConfigDocument<SetLimits> set;
    private final ConfigDocument<SetLimits> ofTenant;

    private Place(
        Tenant tenant,
        @Nullable String project,
        ConfigDocument<SetLimits> set,
        ConfigDocument<SetLimits> ofTenant) {
      this.tenant = tenant;
      this.project = project;
      this.set = set;
      this.ofTenant = ofTenant;
    }

    ConfigDocument<SetLimits> set() {
      return set;
    }

    LimitsView with(ConfigDocument<SetLimits> next) {
      LimitBook book = new LimitBook(List.of(ofTenant, next), requestsPerMinute);
      SortedMap<Limit, Long> effective = new TreeMap<>();
      for (Limit limit : Limit.values()) {
        LimitBook.Bound bound =
            project == null
                ? book.ofTenant(tenant.id().text(), limit)
                : book.ofProject(tenant.id(), project, limit);
        if (bound.value() != LimitBook.NONE && (project == null || limit.ofProjects())) {
          effective.put(limit, bound.value());
        }
      }
      return new LimitsView(
          tenant.name(),
          project,
          Limits.of(next.value().values()),
          Limits.of(effective),
          next.version());
    }

    /**
     * Refuses values above the tenant's limits. Unchanged values are accepted, because the tenant's
     * limit may have been lowered later.
     */
    void refuseMoreThanTheTenants(SetLimits next) {
      if (project == null) {
        return;
      }
      LimitBook book = new LimitBook(List.of(ofTenant), requestsPerMinute);
      next.values()
          .forEach((limit, value) -> {
            LimitBook.Bound bound = book.mostOfProject(tenant.id(), limit);
            if (value > bound.value() && !value.equals(set.value().values().get(limit))) {
              throw beyond(bound, value);
            }
          });
    }
  }

  private static Refusal beyond(LimitBook.Bound bound, long value) {
    return Refusal.field(
        "/" + bound.limit().field(),
        ("%s of a project is at most %d, the limit of its tenant, not %d. An operator of the"
                + " platform can set more for the tenant.")
            .formatted(bound.limit().field(), bound.value(), value),
        Long.toString(bound.value()));
  }

  private static SortedMap<String, Object> detail(SetLimits limits) {
    SortedMap<String, Object> detail = new TreeMap<>();
    limits.values().forEach((limit, value) -> detail.put(limit.field(), value));
    return detail;
  }

  private static Refusal missing(String kind, String which) {
    return new Refusal(ProblemCode.NOT_FOUND, "There is no " + kind + " " + which + ".");
  }

  private static Refusal changed() {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "These limits were changed since they were read. Read them again and repeat.");
  }

  @Override
  public ConfigType<SetLimits> type() {
    return SetLimits.DOCUMENTS;
  }

  @Override
  public Optional<ConfigDocument<SetLimits>> stored(Actor actor, String name) {
    Permissions.require(actor, "getProjectLimits");
    return documents.find(SetLimits.DOCUMENTS, actor.tenant(), name);
  }

  @Override
  public void restore(Actor actor, ConfigDocument<SetLimits> document) {
    SetLimits to = document.value();
    LimitsView _ = update(actor, to.project(), to.values(), document.version(), false);
  }
}
