package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.IndependentSteps;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.loop.LoopThread;
import dev.fairlead.kernel.loop.LoopThreads;
import dev.fairlead.work.event.WakeUps;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.stereotype.Component;

/**
 * Runs one supervisor for every cluster in service, and stores which clusters do not answer while a
 * pass of their supervisor waits for them.
 */
@Component
public class SupervisorFleet implements Loop {
  private static final Duration IDLE = Duration.ofSeconds(1);
  private static final int PARALLEL_PER_CLUSTER = 32;
  private final InventoryStore inventory;
  private final Supervisors supervisors;
  private final ClusterConnections gateways;
  private final LoopThreads threads;
  private final ClusterMeters meters;
  private final Map<ClusterId, Running> running = new ConcurrentSkipListMap<>();
  private boolean cleared;

  public SupervisorFleet(
      InventoryStore inventory,
      Supervisors supervisors,
      ClusterConnections gateways,
      LoopThreads threads,
      MeterRegistry metrics) {
    this.inventory = inventory;
    this.supervisors = supervisors;
    this.gateways = gateways;
    this.threads = threads;
    this.meters = new ClusterMeters(metrics);
  }

  private record Running(ClusterSupervisor supervisor, LoopThread thread, ExecutorService workers) {
    void end() {
      thread.close();
      workers.shutdown();
    }
  }

  @Override
  public String name() {
    return "supervisors";
  }

  @Override
  public String role() {
    return "supervisor";
  }

  @Override
  public Duration idle() {
    return IDLE;
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.INVENTORY);
  }

  @Override
  public boolean tick() {
    if (!cleared) {
      supervisors.forgetRemoved();
      cleared = true;
    }
    Set<ClusterId> known = new TreeSet<>();
    Set<ClusterId> wanted = new TreeSet<>();
    List<Cluster> clusters = inventory.clusters();
    IndependentSteps steps = new IndependentSteps();
    for (Cluster cluster : clusters) {
      known.add(cluster.id());
      if (cluster.state() != ClusterState.DISABLED) {
        wanted.add(cluster.id());
        steps.run(() -> {
          running.computeIfAbsent(cluster.id(), this::begin).supervisor().beat();
          gateways.renew(cluster);
        });
      }
    }
    for (ClusterId id : Set.copyOf(running.keySet())) {
      if (!wanted.contains(id)) {
        steps.run(() -> end(id, known.contains(id)));
      }
    }
    meters.show(clusters, this::seen);
    steps.rethrow();
    return false;
  }

  /** Leases of the clusters that this process supervises now. Thread-safe. */
  public SortedMap<ClusterId, HeldLease> leases() {
    SortedMap<ClusterId, HeldLease> leases = new TreeMap<>();
    running.forEach((id, it) -> it.supervisor().lease().ifPresent(held -> leases.put(id, held)));
    return leases;
  }

  private Optional<ClusterMeters.Seen> seen(ClusterId id) {
    return Optional.ofNullable(running.get(id))
        .map(it ->
            new ClusterMeters.Seen(
                it.supervisor()::silence,
                it.supervisor()::tokenLeft,
                it.supervisor()::certificateLeft,
                it.thread()::sinceSuccess,
                it.supervisor()::notices));
  }

  /**
   * Ends a supervisor. A supervisor of a removed cluster may have acquired its lease again before
   * it ended. It counts as running until that lease is removed, so that the next pass repairs a
   * failure.
   */
  private void end(ClusterId id, boolean known) {
    Running supervisor = running.get(id);
    if (supervisor != null) {
      supervisor.end();
    }
    if (known) {
      supervisors.drop(id);
    } else {
      supervisors.forget(id);
    }
    running.remove(id);
  }

  private Running begin(ClusterId id) {
    ExecutorService workers =
        Executors.newFixedThreadPool(PARALLEL_PER_CLUSTER, LoopThreads.workers("supervise-"));
    ClusterSupervisor supervisor =
        supervisors.supervisor(
            id, workers, name -> task -> Thread.ofVirtual().name(name).start(task));
    LoopThread thread = threads.of(supervisor);
    gateways.listen(id, thread::wake);
    return new Running(supervisor, thread.start(), workers);
  }

  @Override
  public void close() {
    running.values().forEach(supervisor -> supervisor.thread().end());
    running.values().forEach(Running::end);
    running.clear();
    gateways.close();
  }
}
