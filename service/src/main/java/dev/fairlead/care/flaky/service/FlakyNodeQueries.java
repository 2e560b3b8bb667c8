package dev.fairlead.care.flaky.service;

import dev.fairlead.care.flaky.FlakyNode;
import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.repair.Repair;
import dev.fairlead.care.health.repair.RepairId;
import dev.fairlead.care.health.repair.RepairStore;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.job.store.ActiveJobs;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.stereotype.Service;

/** Computes the failure history of the nodes of the fleet. */
@Service
public class FlakyNodeQueries {
  /** Maximum number of nodes in the list. */
  public static final int MOST = 500;

  private static final int PAGE = 1_000;

  /** Maximum number of incidents and of repairs to read, newest first. */
  private static final int MOST_READ = 20_000;

  private final HealthStore health;
  private final RepairStore repairs;
  private final ActiveJobs jobs;
  private final InventoryStore inventory;
  private final InstantSource clock;

  public FlakyNodeQueries(
      HealthStore health,
      RepairStore repairs,
      ActiveJobs jobs,
      InventoryStore inventory,
      InstantSource clock) {
    this.health = health;
    this.repairs = repairs;
    this.jobs = jobs;
    this.inventory = inventory;
    this.clock = clock;
  }

  /**
   * A node with its failure history for the API.
   *
   * @param cluster name of its cluster
   */
  public record View(FlakyNode flakyNode, String cluster) {}

  /** Returns the nodes with the worst history first. */
  public List<View> worst() {
    Instant now = clock.instant();
    /* A repair may have started long before its last step was finished. */
    Instant from = now.minus(FlakyNode.WINDOW.multipliedBy(2));
    SortedMap<ClusterId, String> names = new TreeMap<>();
    return FlakyNode.of(incidents(from), repairs(from), jobs.placeFailures(), now).stream()
        .limit(MOST)
        .map(flakyNode ->
            new View(
                flakyNode,
                names.computeIfAbsent(
                    flakyNode.cluster(), id -> inventory.nameOf(id).orElseGet(id::text))))
        .toList();
  }

  private List<Incident> incidents(Instant from) {
    List<Incident> found = new ArrayList<>();
    IncidentId before = null;
    boolean more = true;
    while (more && found.size() < MOST_READ) {
      List<Incident> page = health.incidents(null, before, PAGE);
      found.addAll(page);
      before = page.isEmpty() ? before : page.getLast().id();
      more = page.size() == PAGE && !page.getLast().openedAt().isBefore(from);
    }
    return found;
  }

  private List<Repair> repairs(Instant from) {
    List<Repair> found = new ArrayList<>();
    RepairId before = null;
    boolean more = true;
    while (more && found.size() < MOST_READ) {
      List<Repair> page = repairs.repairs(null, false, before, PAGE);
      found.addAll(page);
      before = page.isEmpty() ? before : page.getLast().id();
      more = page.size() == PAGE && !page.getLast().openedAt().isBefore(from);
    }
    return found;
  }
}
