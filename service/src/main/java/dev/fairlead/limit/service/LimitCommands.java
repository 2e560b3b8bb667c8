package dev.fairlead.limit.service;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.audit.ConfigKind;
import dev.fairlead.limit.Limit;
import dev.fairlead.limit.LimitBook;
import dev.fairlead.limit.LimitStore;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.problem.FieldProblem;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads and changes the limits of the actor's tenant and of its projects. */
@Service
public class LimitCommands {
  private final Transactions transactions;
  private final LimitStore limits;
  private final TenantStore tenants;
  private final AuditLog audit;
  private final int requestsPerMinute;

  public LimitCommands(
      Transactions transactions,
      LimitStore limits,
      TenantStore tenants,
      AuditLog audit,
      LimitSettings settings) {
    this.transactions = transactions;
    this.limits = limits;
    this.tenants = tenants;
    this.audit = audit;
    this.requestsPerMinute = settings.requestsPerMinute();
  }

  /**
   * @param project name; null for the tenant itself
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
   * Replaces what is set. What exceeds a lowered limit stays, and nothing is added to it.
   *
   * @param project name; null for the tenant itself
   * @param values a limit that is absent has its default
   * @param expected version that the caller has seen, null when any will do
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, INVALID_FIELD for more than a project
   *     of the tenant can have
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
      return transactions.call(() -> {
        Place place = place(actor, project);
        if (expected != null && expected != place.set().version()) {
          throw changed();
        }
        SetLimits next = place.set().with(values);
        place.refuseMoreThanTheTenants(next);
        if (!validateOnly) {
          limits.put(next);
          audit(actor, operation, place.set(), next);
        }
        return place.with(next);
      });
    } catch (Conflict raced) {
      throw changed();
    }
  }

  private Place place(Actor actor, @Nullable String name) {
    Tenant tenant = tenants.tenant(actor.tenant()).orElseThrow(() -> missing("tenant", "of yours"));
    SetLimits whole = limits.of(tenant.id(), null);
    if (name == null) {
      return new Place(tenant, null, whole, whole);
    }
    Project project =
        tenants
            .projectNamed(tenant.id(), name)
            .orElseThrow(() -> missing("project", "\"" + name + "\""));
    return new Place(tenant, name, limits.of(tenant.id(), project.id()), whole);
  }

  /** A tenant or project, with what is set for it and for the tenant. */
  private final class Place {
    private final Tenant tenant;
    private final @Nullable String project;
    private final SetLimits set;
    private final SetLimits ofTenant;

    private Place(Tenant tenant, @Nullable String project, SetLimits set, SetLimits ofTenant) {
      this.tenant = tenant;
      this.project = project;
      this.set = set;
      this.ofTenant = ofTenant;
    }

    SetLimits set() {
      return set;
    }

    LimitsView with(SetLimits next) {
      List<LimitStore.Named> known = new ArrayList<>();
      known.add(new LimitStore.Named(ofTenant, null));
      known.add(new LimitStore.Named(next, project));
      LimitBook book = new LimitBook(known, requestsPerMinute);
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
      return new LimitsView(tenant.name(), project, next, effective);
    }

    /** What stays as it is does not count: the tenant's may have been lowered since. */
    void refuseMoreThanTheTenants(SetLimits next) {
      if (project == null) {
        return;
      }
      LimitBook book =
          new LimitBook(List.of(new LimitStore.Named(ofTenant, null)), requestsPerMinute);
      next.values()
          .forEach((limit, value) -> {
            LimitBook.Bound bound = book.mostOfProject(tenant.id(), limit);
            if (value > bound.value() && !value.equals(set.values().get(limit))) {
              throw beyond(bound, value);
            }
          });
    }
  }

  private static Refusal beyond(LimitBook.Bound bound, long value) {
    String detail =
        "%s of a project is at most %d, as its tenant has it, not %d. An operator of the platform can set more for the tenant."
            .formatted(bound.limit().field(), bound.value(), value);
    return new Refusal(
        ProblemCode.INVALID_FIELD,
        detail,
        List.of(
            new FieldProblem(
                "/" + bound.limit().field(),
                ProblemCode.INVALID_FIELD,
                detail,
                Long.toString(bound.value()))));
  }

  private void audit(Actor actor, String operation, SetLimits old, SetLimits next) {
    TreeMap<String, Object> detail = new TreeMap<>();
    next.values().forEach((limit, value) -> detail.put(limit.field(), value));
    String subject = next.project() == null ? next.tenant().text() : next.project().text();
    audit.append(
        new AuditRecord(actor, operation, subject, true, detail)
            .changed("limits/" + subject, old, next)
            .kept(ConfigKind.LIMITS, subject, old, next));
  }

  private static Refusal missing(String kind, String which) {
    return new Refusal(ProblemCode.NOT_FOUND, "There is no " + kind + " " + which + ".");
  }

  private static Refusal changed() {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "These limits were changed since they were read. Read them again and repeat.");
  }
}
