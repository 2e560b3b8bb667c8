package dev.fairlead.work.job.service.query;

import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Names of tenants and projects for responses about jobs, cached because neither changes its name.
 * An unknown name is read in the open transaction, or in a separate one.
 */
@Component
public class OwnerNames {
  private static final int MOST = 10_000;
  private final TenantStore tenants;
  private final Map<String, String> known = new Recent();

  public OwnerNames(TenantStore tenants) {
    this.tenants = tenants;
  }

  String of(TenantId tenant) {
    return known(
        tenant.text(), () -> tenants.tenant(tenant).map(Tenant::name).orElse(tenant.text()));
  }

  /** The project's name, or its id if the tenant does not have it. */
  String of(TenantId tenant, ProjectId project) {
    return known(
        tenant.text() + project.text(),
        () -> tenants.project(tenant, project).map(Project::name).orElse(project.text()));
  }

  private String known(String key, Supplier<String> read) {
    String name;
    synchronized (known) {
      name = known.get(key);
    }
    if (name == null) {
      name = read.get();
      synchronized (known) {
        known.put(key, name);
      }
    }
    return name;
  }

  /** Evicts the least recently used entry. */
  private static final class Recent extends LinkedHashMap<String, String> {
    private static final long serialVersionUID = 1L;
    private static final float LOAD = 0.75f;

    Recent() {
      super(16, LOAD, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
      return size() > MOST;
    }
  }
}
