package dev.fairlead.front.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.front.FrontBreaker;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontStore;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Checks that the Jobs of each front cluster are read, and that none is missing. */
@Component
public class FrontDiagnosis implements Diagnosis {
  private final InventoryStore inventory;
  private final FrontStore fronts;

  public FrontDiagnosis(InventoryStore inventory, FrontStore fronts) {
    this.inventory = inventory;
    this.fronts = fronts;
  }

  @Override
  public String area() {
    return "fronts";
  }

  @Override
  public List<DoctorCheck> look() {
    SortedMap<ClusterId, String> troubles = fronts.troubles();
    SortedMap<ClusterId, Long> mapped =
        fronts.namespaces().stream()
            .collect(
                Collectors.groupingBy(
                    FrontNamespace::cluster, TreeMap::new, Collectors.counting()));
    List<DoctorCheck> checks = new ArrayList<>();
    mapped.forEach(
        (front, namespaces) -> checks.add(check(front, namespaces, troubles.get(front))));
    fronts.breakers().values().forEach(open -> checks.add(check(open)));
    return checks;
  }

  private DoctorCheck check(ClusterId front, long namespaces, @Nullable String trouble) {
    String name = inventory.nameOf(front).orElse(front.text());
    if (trouble == null) {
      return DoctorCheck.ok(area(), name, "Jobs of " + told(namespaces) + " are seen");
    }
    return DoctorCheck.problem(
        area(),
        name,
        "Jobs of %s are neither adopted nor shown: %s".formatted(told(namespaces), trouble),
        "If it is forbidden, apply deploy/cluster-front.yaml there. Otherwise see"
            + " docs/how-to/front-cluster.md.");
  }

  private DoctorCheck check(FrontBreaker open) {
    String name = inventory.nameOf(open.cluster()).orElse(open.cluster().text());
    return DoctorCheck.problem(
        area(),
        name,
        open.text(),
        "Bring back the API server that has the Jobs: correct the connection, or restore a later"
            + " backup of its etcd. If the Jobs are permanently lost: fairlead cluster front"
            + " confirm-loss %s".formatted(name)
            + " --missing %d".formatted(open.missing()));
  }

  private static String told(long namespaces) {
    return namespaces + (namespaces == 1 ? " mapped namespace" : " mapped namespaces");
  }
}
