package dev.fairlead.people.project.service;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.lease.LeaseStore;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectBuilder;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantStore;
import java.util.List;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/** Creates projects within the limit of a tenant. */
@Component
public class NewProjects {
  private final TenantStore tenants;
  private final LeaseStore leases;
  private final LimitSource limits;
  private final IdSource ids;

  public NewProjects(TenantStore tenants, LeaseStore leases, LimitSource limits, IdSource ids) {
    this.tenants = tenants;
    this.leases = leases;
    this.limits = limits;
    this.ids = ids;
  }

  /**
   * Limits for {@link #make}, to be read before the transaction.
   *
   * @throws Refusal UNAVAILABLE when limits were not read yet
   */
  LimitBook limits() {
    return limits.now();
  }

  /**
   * Creates a project without storing it.
   *
   * @param book current limits
   * @param name a DNS label
   * @param queue queue of jobs that name none
   * @throws Refusal LIMIT_EXCEEDED when the tenant is at its limit
   */
  Project make(LimitBook book, Tenant tenant, String name, QuotaNode queue) {
    LimitBook.Bound bound = book.ofTenant(tenant.id().text(), Limit.PROJECTS);
    int there = tenants.projects(tenant.id()).size();
    if (there >= bound.value()) {
      TreeMap<String, Object> numbers = new TreeMap<>();
      numbers.put("projects", there);
      numbers.put("limit", bound.value());
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "Tenant %s has %d of at most %d projects: %s."
              .formatted(tenant.name(), there, bound.value(), bound.named()),
          List.of(),
          numbers);
    }
    ProjectId id = new ProjectId(ids.next());
    String namespace = Project.newNamespace(leases.installation().id(), tenant.name(), name, id);
    return ProjectBuilder.builder()
        .id(id)
        .tenant(tenant.id())
        .name(name)
        .namespace(namespace)
        .defaultQueue(queue.id().value())
        .egress(Egress.OPEN)
        .idle(null)
        .costCentre(null)
        .version(1)
        .build();
  }
}
