package dev.fairlead.work.workload.service;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterCheck;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.ServerCheck;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.FrontStore;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationStore;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.ServingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.springframework.stereotype.Component;

/** Lists the occupants of a cluster, which prevent its removal and a change of its server. */
@Component
class ClusterOccupants implements ServerCheck {
  private static final int MOST_NAMED = 20;
  private static final String LABELS =
      "Its nodes show their pools or quarantines. Set nodeLabelsAndTaints to NEVER and wait until"
          + " capabilities.nodeLabelsAndTaints is NONE. They remain on a disabled cluster.";
  private final JobStore jobs;
  private final OperationStore operations;
  private final ReservationStore reservations;
  private final VolumeStore volumes;
  private final FrontStore fronts;
  private final ServingStore services;
  private final ClusterCheck supplies;

  ClusterOccupants(
      JobStore jobs,
      OperationStore operations,
      ReservationStore reservations,
      VolumeStore volumes,
      FrontStore fronts,
      ServingStore services,
      ClusterCheck supplies) {
    this.jobs = jobs;
    this.operations = operations;
    this.reservations = reservations;
    this.volumes = volumes;
    this.fronts = fronts;
    this.services = services;
    this.supplies = supplies;
  }

  /**
   * Each kind with its count and first members.
   *
   * @param numbers count of each kind. Jobs up to {@link #MOST_NAMED}
   */
  record Occupants(List<FieldProblem> kinds, TreeMap<String, Object> numbers) {
    private void add(String kind, int number, String detail) {
      if (number > 0) {
        kinds.add(new FieldProblem("/" + kind, ProblemCode.IN_USE, detail, null));
        numbers.put(kind, number);
      }
    }
  }

  /**
   * Returns the occupants. Call this in the transaction that removes the cluster.
   *
   * @param attempts attempts of the cluster that are not retired
   */
  Occupants of(Cluster cluster, List<Attempt> attempts) {
    Occupants found = new Occupants(new ArrayList<>(), new TreeMap<>());
    boolean inService =
        cluster.state() == ClusterState.ACTIVE || cluster.state() == ClusterState.DEGRADED;
    found.add(
        "state",
        inService ? 1 : 0,
        "It is in service (" + cluster.state() + "): cordon, drain or disable it first.");
    List<Attempt> living =
        attempts.stream()
            .filter(a -> a.live() || cluster.state() != ClusterState.DISABLED)
            .toList();
    List<String> told = living.stream().limit(MOST_NAMED).map(ClusterOccupants::told).toList();
    found.add("attempts", living.size(), "Attempts: " + String.join(", ", told) + ".");
    List<String> confined = jobs.confinedTo(cluster.name(), MOST_NAMED);
    found.add(
        "jobs",
        confined.size(),
        "Jobs that name only this cluster: "
            + String.join(", ", confined)
            + ". Cancel them or change their placement.");
    List<Operation> running =
        operations.running().stream().filter(o -> o.cluster().equals(cluster.id())).toList();
    List<String> drains = running.stream().limit(MOST_NAMED).map(o -> o.id().text()).toList();
    found.add("operations", running.size(), "Operations: " + String.join(", ", drains) + ".");
    List<Reservation> kept =
        reservations.all().stream().filter(r -> r.cluster().equals(cluster.id())).toList();
    List<String> waiting = kept.stream().limit(MOST_NAMED).map(r -> r.job().text()).toList();
    found.add(
        "reservations",
        kept.size(),
        "Capacity there is reserved for "
            + String.join(", ", waiting)
            + ". The scheduler releases it when the cluster accepts no new jobs.");
    List<Volume> data = volumes.on(cluster.id());
    List<String> names =
        data.stream()
            .limit(MOST_NAMED)
            .map(volume -> "%s (%s)".formatted(volume.name(), volume.state()))
            .toList();
    found.add(
        "volumes",
        data.size(),
        "Volumes of projects: "
            + String.join(", ", names)
            + ". Their data exists only there: their owners must delete them first.");
    fronts(cluster, found);
    List<String> requests = supplies.openRequests(cluster);
    found.add(
        "supplyRequests",
        requests.size(),
        "Open requests for nodes: "
            + String.join(", ", requests.stream().limit(MOST_NAMED).toList())
            + ". Without the cluster these nodes are not returned, and are still billed. Set"
            + " maxNodes of the supply to 0 and drain its nodes until no request is open, and"
            + " enable the cluster for that if it is disabled. If its nodes are permanently"
            + " gone, remove the supply with a reason: fairlead pool supply delete --force.");
    found.add("nodeLabelsAndTaints", labelled(cluster) ? 1 : 0, LABELS);
    return found;
  }

  /**
   * Returns whether nodes have labels or taints of Fairlead. No other component removes them, and
   * Fairlead cannot while the cluster is disabled.
   */
  private static boolean labelled(Cluster cluster) {
    return cluster.state() != ClusterState.DISABLED
        && (cluster.settings().nodeLabelsAndTaints() != ClusterSettings.NodeLabelPolicy.NEVER
            || cluster.capabilities().nodeLabelsAndTaints() == Capabilities.Presence.PRESENT);
  }

  private void fronts(Cluster cluster, Occupants found) {
    List<FrontNamespace> mapped = fronts.namespaces(cluster.id());
    List<String> namespaces =
        mapped.stream().limit(MOST_NAMED).map(FrontNamespace::namespace).toList();
    found.add(
        "frontNamespaces",
        mapped.size(),
        "Namespaces with adopted Jobs: "
            + String.join(", ", namespaces)
            + ". Remove them first: fairlead cluster front remove.");
    int taken = frontJobs(cluster);
    found.add(
        "frontJobs",
        cluster.state() == ClusterState.DISABLED ? 0 : taken,
        taken
            + " Its Jobs are adopted. Delete them there, or wait until they end: only Fairlead "
            + "removes its finalizer.");
    List<OwnedService> owned = services.owned(cluster.name());
    List<String> named =
        owned.stream()
            .limit(MOST_NAMED)
            .map(each -> each.settings().name() + " of project " + each.settings().project())
            .toList();
    found.add(
        "modelServices",
        cluster.state() == ClusterState.DISABLED ? 0 : owned.size(),
        "Services of ModelServices there: "
            + String.join(", ", named)
            + ". Delete the ModelServices and wait for the end of the replicas: only Fairlead"
            + " removes its finalizer. Without the cluster, no user can change these services.");
  }

  /** Number of services that ModelServices of the front cluster own. */
  int modelServices(Cluster cluster) {
    return services.owned(cluster.name()).size();
  }

  /** Number of Jobs of the front cluster that Fairlead runs. */
  int frontJobs(Cluster cluster) {
    return fronts.counts(cluster.id()).values().stream().mapToInt(Integer::intValue).sum();
  }

  @Override
  public List<String> heldBy(Cluster cluster) {
    List<String> held = new ArrayList<>();
    int taken = frontJobs(cluster);
    if (taken > 0) {
      held.add(taken + " Jobs that Fairlead adopted there");
    }
    int served = modelServices(cluster);
    if (served > 0) {
      held.add(served + " services of ModelServices there");
    }
    long data =
        volumes.on(cluster.id()).stream()
            .filter(volume -> volume.state() != VolumeState.LOST)
            .count();
    if (data > 0) {
      held.add(data + " volumes of projects");
    }
    int requests = supplies.openRequests(cluster).size();
    if (requests > 0) {
      held.add(requests + " open requests for nodes");
    }
    return held;
  }

  /**
   * Describes an attempt. An ended attempt leaves its cluster soon, after the retention of its
   * output.
   */
  private static String told(Attempt attempt) {
    String state = attempt.live() ? attempt.state().name() : "ended, its pods are being removed";
    return attempt.id().text() + " of " + attempt.job().text() + " (" + state + ")";
  }
}
