package dev.fairlead.money.statement.service;

import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.VolumeLine;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Instant;
import java.time.YearMonth;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.springframework.stereotype.Service;

/** Storage and cost of the volumes of a tenant in a month. */
@Service
public class VolumeCosts {
  private final VolumeStore volumes;
  private final TenantStore tenants;
  private final InventoryStore inventory;

  public VolumeCosts(VolumeStore volumes, TenantStore tenants, InventoryStore inventory) {
    this.volumes = volumes;
    this.tenants = tenants;
    this.inventory = inventory;
  }

  /**
   * Adds lines by the names of the volumes, in the open transaction. Future time does not count.
   *
   * @param spans spans of the month
   */
  void lines(
      TenantId tenant, YearMonth month, PriceSpans spans, Instant now, Consumer<VolumeLine> each) {
    Names names = new Names(tenant);
    Instant end = Statement.end(month);
    volumes.stays(
        tenant,
        Statement.begin(month),
        end.isAfter(now) ? now : end,
        stay -> VolumeLine.of(stay, names.of(stay), spans).forEach(each));
  }

  /** Caches the names of projects and clusters. */
  private final class Names {
    private final TenantId tenant;
    private final Map<ProjectId, Optional<Project>> projects = new HashMap<>();
    private final Map<ClusterId, String> clusters = new HashMap<>();

    Names(TenantId tenant) {
      this.tenant = tenant;
    }

    VolumeLine.Names of(VolumeStay stay) {
      Optional<Project> project =
          projects.computeIfAbsent(stay.project(), id -> tenants.project(tenant, id));
      return new VolumeLine.Names(
          stay.name(),
          project.map(Project::name).orElseGet(() -> stay.project().text()),
          clusters.computeIfAbsent(stay.cluster(), id -> inventory.nameOf(id).orElseGet(id::text)),
          project.map(Project::costCentre).orElse(null));
    }
  }
}
