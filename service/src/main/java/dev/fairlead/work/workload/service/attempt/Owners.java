package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.util.Collection;
import java.util.NoSuchElementException;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Tenants and projects of the attempts of one pass, each read once. A missing tenant or project
 * fails only its own attempts.
 */
public final class Owners {
  private final SortedMap<TenantId, Tenant> tenants = new TreeMap<>();
  private final SortedMap<ProjectId, Project> projects = new TreeMap<>();

  static Owners of(TenantStore store, Collection<AttemptCase> cases) {
    Owners owners = new Owners();
    for (AttemptCase each : cases) {
      TenantId tenant = each.job().tenant();
      ProjectId project = each.job().project();
      if (!owners.projects.containsKey(project)) {
        store.project(tenant, project).ifPresent(found -> owners.projects.put(project, found));
      }
      if (!owners.tenants.containsKey(tenant)) {
        store.tenant(tenant).ifPresent(found -> owners.tenants.put(tenant, found));
      }
    }
    return owners;
  }

  /**
   * @throws NoSuchElementException when it was deleted
   */
  public Tenant tenant(AttemptCase of) {
    return found(tenants.get(of.job().tenant()), "tenant", of);
  }

  /**
   * @throws NoSuchElementException when it was deleted
   */
  public Project project(AttemptCase of) {
    return found(projects.get(of.job().project()), "project", of);
  }

  private static <T> T found(@Nullable T owner, String what, AttemptCase of) {
    if (owner == null) {
      throw new NoSuchElementException(
          "the " + what + " of attempt " + of.attempt().id().text() + " is not there");
    }
    return owner;
  }
}
