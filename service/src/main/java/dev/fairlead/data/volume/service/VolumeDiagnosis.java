package dev.fairlead.data.volume.service;

import dev.fairlead.data.volume.VolumeBreaker;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import java.util.List;
import org.springframework.stereotype.Component;

/** Checks that no circuit breaker of volumes is open. */
@Component
public class VolumeDiagnosis implements Diagnosis {
  private final InventoryStore inventory;
  private final VolumeStore volumes;

  public VolumeDiagnosis(InventoryStore inventory, VolumeStore volumes) {
    this.inventory = inventory;
    this.volumes = volumes;
  }

  @Override
  public String area() {
    return "volumes";
  }

  @Override
  public List<DoctorCheck> look() {
    return volumes.breakers().values().stream().map(this::check).toList();
  }

  private DoctorCheck check(VolumeBreaker open) {
    String name = inventory.nameOf(open.cluster()).orElse(open.cluster().text());
    return DoctorCheck.problem(
        area(),
        name,
        open.text(),
        ("Bring back the API server that has the claims: correct the connection, or restore a"
                + " later backup of its etcd. If the claims are permanently lost: fairlead volume"
                + " confirm-loss %s --missing %d")
            .formatted(name, open.missing()));
  }
}
