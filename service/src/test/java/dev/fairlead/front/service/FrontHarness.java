package dev.fairlead.front.service;

import dev.fairlead.e2e.FairleadSubmits;
import dev.fairlead.e2e.InMemoryFairlead;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.service.spi.JobDocuments;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.serving.service.spi.ObjectServices;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** A front cluster without nodes, a pool of eight GPUs, and a pass over the Jobs. */
abstract class FrontHarness {
  static final String UID = "0b5e1c1a-8f0e-4a56-9c39-0f3c6f6f2f10";
  final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  final MemoryStores stores = fairlead.stores();
  final TestWorld elsewhere = TestWorld.in(stores);
  final ClusterId front = elsewhere.cluster().id();
  final HeldLease lease = stores.leases().create("cluster/front", "me").orElseThrow();
  FrontCluster cluster = new FrontCluster();
  final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  JobDocuments documents = (actor, project, json) -> runsFor("1s").build();
  ObjectServices services = FrontCluster.NO_SERVICES;
  FrontPass pass = newPass();

  static Specs runsFor(String time) {
    return Specs.job("x").gpus(1).annotation("sim.fairlead.dev/run-for", time);
  }

  @BeforeEach
  void aPoolBesideTheFront() {
    elsewhere.report(); // no nodes, because nothing supervises it here
    fairlead.register("eu-1", new FleetPool(1, 8, "H100", 1, 1));
    fairlead.pass(Duration.ofSeconds(3));
    map("team-a");
  }

  void map(String namespace) {
    stores
        .fronts()
        .put(
            new FrontNamespace(
                front,
                namespace,
                fairlead.project().tenant(),
                fairlead.project().id(),
                "ada",
                stores.clock().instant()));
  }

  /** As of a process that begins. */
  FrontPass newPass() {
    JobSubmits submits = FairleadSubmits.of(fairlead);
    return new FrontPass(
        front,
        stores.fronts(),
        new FrontSteps(
            stores.fronts(),
            new FrontSubmits(
                (actor, project, json) -> documents.read(actor, project, json),
                submits,
                stores.jobs(),
                stores.tenants()),
            stores.jobs(),
            stores.inventory(),
            stores.transactions(),
            stores.clock(),
            metrics),
        services,
        Runnable::run,
        () -> Duration.between(Instant.EPOCH, stores.clock().instant()).toNanos());
  }

  void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      fairlead.pass(Duration.ofSeconds(1));
      pass.run(lease, cluster);
    }
  }

  List<Job> jobs() {
    return stores.jobs().all().stream()
        .filter(job -> job.project().equals(fairlead.project().id()))
        .toList();
  }

  boolean taken() {
    return !stores.fronts().find(front, List.of(UID)).isEmpty();
  }

  String reason(String condition) {
    return cluster.status(UID).condition(condition).map(FrontCondition::reason).orElse("none");
  }
}
