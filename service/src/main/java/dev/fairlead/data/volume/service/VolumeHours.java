package dev.fairlead.data.volume.service;

import dev.fairlead.data.volume.VolumeStay;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Service;

/** Reports the storage of the volumes of a tenant, and its duration. */
@Service
public class VolumeHours {
  private static final int MOST = 10_000;

  private final VolumeStore volumes;
  private final TenantStore tenants;
  private final InventoryStore inventory;
  private final Transactions transactions;
  private final InstantSource clock;

  public VolumeHours(
      VolumeStore volumes,
      TenantStore tenants,
      InventoryStore inventory,
      Transactions transactions,
      InstantSource clock) {
    this.volumes = volumes;
    this.tenants = tenants;
    this.inventory = inventory;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * A volume in the requested time.
   *
   * @param project its name, or its id after its deletion
   * @param cluster its name, or its id after its removal
   */
  public record Line(VolumeStay stay, String project, String cluster) {}

  /**
   * Reports by the names of the volumes. Future time does not count.
   *
   * @param to exclusive end
   * @throws Refusal FORBIDDEN, LIMIT_EXCEEDED (more than 10,000 lines)
   */
  public List<Line> report(Actor actor, Instant from, Instant to) {
    Permissions.require(actor, "reportVolumeHours");
    Instant now = clock.instant();
    return transactions.read(() -> {
      List<VolumeStay> stays = new ArrayList<>();
      volumes.stays(
          actor.tenant(),
          from,
          to.isAfter(now) ? now : to,
          stay -> {
            if (stays.size() == MOST) {
              throw new Refusal(
                  ProblemCode.LIMIT_EXCEEDED,
                  "More than %d volumes existed in that time. Request a shorter period."
                      .formatted(MOST));
            }
            stays.add(stay);
          });
      Map<ProjectId, String> projects = new HashMap<>();
      Map<ClusterId, String> clusters = new HashMap<>();
      return stays.stream()
          .map(stay ->
              new Line(
                  stay,
                  projects.computeIfAbsent(stay.project(), id -> project(actor, id)),
                  clusters.computeIfAbsent(
                      stay.cluster(), id -> inventory.nameOf(id).orElse(id.text()))))
          .toList();
    });
  }

  private String project(Actor actor, ProjectId id) {
    return tenants.project(actor.tenant(), id).map(Project::name).orElse(id.text());
  }
}
