package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.NamespaceRemovalStore;
import dev.fairlead.work.serving.service.spi.ServingUpkeep;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import dev.fairlead.work.workload.service.attempt.AttemptMetrics;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import dev.fairlead.work.workload.service.contact.ClosedPlaces;
import dev.fairlead.work.workload.service.contact.ClusterWatch;
import dev.fairlead.work.workload.service.pass.ClockSkewGuard;
import dev.fairlead.work.workload.service.pass.PassState;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import org.springframework.stereotype.Component;

/** Creates supervisors. */
@Component
public class Supervisors {
  private final InventoryStore inventory;
  private final ClosedPlaces places;
  private final Transactions transactions;
  private final Leases leases;
  private final ClusterConnections gateways;
  private final AttemptRepository repository;
  private final ClusterTokens tokens;
  private final NamespaceRemovalStore removals;
  private final FrontUpkeep fronts;
  private final ServingUpkeep services;
  private final WorkloadTimeouts timeouts;
  private final AttemptMetrics metrics;

  public Supervisors(
      InventoryStore inventory,
      ClosedPlaces places,
      Transactions transactions,
      Leases leases,
      ClusterConnections gateways,
      AttemptRepository repository,
      ClusterTokens tokens,
      NamespaceRemovalStore removals,
      FrontUpkeep fronts,
      ServingUpkeep services,
      WorkloadTimeouts timeouts,
      MeterRegistry metrics) {
    this.inventory = inventory;
    this.places = places;
    this.transactions = transactions;
    this.leases = leases;
    this.gateways = gateways;
    this.repository = repository;
    this.tokens = tokens;
    this.removals = removals;
    this.fronts = fronts;
    this.services = services;
    this.timeouts = timeouts;
    this.metrics = new AttemptMetrics(metrics);
  }

  /**
   * Drops the state of a cluster. Must be called after the supervisor of a disabled cluster has
   * ended.
   */
  void drop(ClusterId cluster) {
    leases.drop(ClusterSupervisor.lease(cluster));
  }

  /** Forgets a removed cluster. Must be called after its supervisor has ended. */
  void forget(ClusterId cluster) {
    leases.forget(ClusterSupervisor.lease(cluster));
  }

  /**
   * Removes leases of removed clusters that an interrupted process left. Must be called before
   * supervisors begin.
   */
  void forgetRemoved() {
    Set<String> leftOver = new TreeSet<>(leases.names()); // first: a cluster comes before its lease
    leftOver.removeIf(name -> !ClusterSupervisor.isLease(name));
    inventory.clusters().forEach(cluster -> leftOver.remove(ClusterSupervisor.lease(cluster.id())));
    leftOver.forEach(leases::forget);
  }

  /**
   * Creates a supervisor of the cluster, not started.
   *
   * @param workers run the attempts of a pass, namespaces and volumes. Their number limits the
   *     parallel calls
   */
  public Loop of(ClusterId cluster, ExecutorService workers) {
    return supervisor(cluster, workers, name -> workers);
  }

  /**
   * Creates a supervisor of the cluster, not started.
   *
   * @param workers run the attempts of a pass
   * @param background returns the executor of this name for work that outlasts a pass
   */
  ClusterSupervisor supervisor(
      ClusterId cluster, ExecutorService workers, Function<String, Executor> background) {
    return new ClusterSupervisor(
        leases.keeper(ClusterSupervisor.lease(cluster)),
        gateways,
        new ClusterWatch(cluster, inventory, places, transactions, leases.clock()),
        new ClusterSupervisor.Upkeep(
            new TokenRenewal(cluster, inventory, tokens, leases.clock()),
            new NamespaceUpkeep(
                cluster,
                removals,
                transactions,
                background.apply("namespaces-" + cluster.bare()),
                leases.clock()),
            new VolumeUpkeep(
                cluster,
                repository.volumes(),
                background.apply("volumes-" + cluster.bare()),
                leases.clock()),
            fronts.of(cluster, leases.clock()),
            services.of(cluster, leases.clock())),
        new PassState(
            cluster,
            repository,
            metrics,
            workers,
            new ClockSkewGuard(leases.clock()),
            PassState.Rules.with(timeouts),
            gateways.output()));
  }
}
