package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Figures of many model services on a full simulated fleet. Run by {@code make services}. */
@Tag("long")
class ServiceFiguresTest extends ServiceScene {
  private static final int REPLICAS = 2;
  private static final int SERVICES = 50;
  private static final int ROUNDS = 20;
  private static final int BATCH = 12;
  private final List<ModelServices.Name> names = new ArrayList<>();
  private final List<Long> nanos = new ArrayList<>();
  private final Map<ModelServices.Name, Integer> versions = new HashMap<>();

  /** Names of services, at most 100 in a project. */
  private void services(int count) {
    Project like = fairlead.project();
    String project = like.name();
    for (int i = 0; i < count; i++) {
      if (i > 0 && i % ModelService.MOST == 0) {
        ProjectId id = new ProjectId(stores.ids().next());
        project = "project-" + i;
        stores
            .tenants()
            .insert(
                new Project(
                    id,
                    like.tenant(),
                    project,
                    "fairlead-" + id.bare(),
                    like.defaultQueue(),
                    like.egress(),
                    null,
                    null,
                    1));
      }
      names.add(new ModelServices.Name(project, "chat-" + i));
    }
  }

  private void release(ModelServices.Name name) {
    int version = versions.merge(name, 1, Integer::sum);
    AppliedService request =
        new AppliedService(
            name.service() + ".example",
            new AppliedService.Scale(REPLICAS, REPLICAS + 1, null, List.of(), null),
            List.of(25, 100),
            Duration.ofSeconds(2),
            Duration.ofMillis(500),
            server("v" + version)
                .annotation("sim.fairlead.dev/requests", "400")
                .priority(PriorityClass.HIGH)
                .build(),
            ServiceVersion.Endpoint.DEFAULT,
            ModelService.Access.OPEN,
            List.of(),
            RouteOptions.NONE);
    var _ = services.put(fairlead.ana(), name, request, null, false);
  }

  /** A second of all loops. */
  private void second() {
    stores.clock().advance(Duration.ofSeconds(1));
    fairlead.turn();
    long begin = System.nanoTime();
    loop.tick();
    nanos.add(System.nanoTime() - begin);
  }

  private double p99Millis() {
    long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted[Math.max(0, sorted.length * 99 / 100 - 1)] / 1e6;
  }

  private long held() {
    return stores.quotas().uses(fairlead.ana().tenant()).stream()
        .filter(use -> use.cell().resource().equals("gpu"))
        .mapToLong(QuotaUse::used)
        .max()
        .orElse(0);
  }

  private boolean open(ServiceState state) {
    Rollout rollout = state.rollout();
    return rollout != null && rollout.open();
  }

  private long readyOf(ServiceState state) {
    var shown =
        stores.services().traffic(state.tenant(), state.id()).stream()
            .flatMap(each -> each.ready().stream())
            .toList();
    return state.replicas().stream()
        .filter(each -> !each.stopping())
        .map(Replica::job)
        .filter(shown::contains)
        .count();
  }

  /**
   * Fails when planning of 500 services takes a second, or they hold more GPUs than their quota.
   */
  @Test
  void planOf500ServicesOnFourClustersTakesLessThanASecond() {
    int limit = 500 * REPLICAS + 40;
    quota(limit);
    List.of("us", "ap", "sa")
        .forEach(name -> fairlead.register(name, new FleetPool(48, 8, "H100", 4, 3)));
    var _ = fairlead.register("eu-2", new FleetPool(46, 8, "H100", 4, 3));
    services(500);
    names.forEach(this::release);
    long most = 0;
    int seconds = 0;
    while (stores.services().all().stream().anyMatch(s -> s.weights().isEmpty())) {
      second();
      most = Math.max(most, held());
      assertThat(++seconds).as("seconds until all services serve").isLessThan(300);
    }
    nanos.clear();
    names.forEach(this::release);
    for (int i = 0; i < 240; i++) {
      second();
      most = Math.max(most, held());
      assertThat(most).isLessThanOrEqualTo(1000L * limit);
    }
    long promoted = stores.services().all().stream().filter(state -> state.stable() == 2).count();
    double p99 = p99Millis();
    System.out.printf(
        "figure services: 500 services x 4 clusters: plan p99 %.0f ms in %d passes, %d of %d GPUs"
            + " of the quota held at most, %d of 500 rollouts promoted in 4 minutes%n",
        p99, nanos.size(), most / 1000, limit, promoted);
    assertThat(p99).isLessThan(1000);
    assertThat(promoted).isPositive();
  }

  /** With the services, or as many Deployments, and {@link #batch}, all 112 GPUs are used. */
  private void full() {
    var _ = fairlead.register("us", new FleetPool(12, 8, "H100", 1, 1));
  }

  private List<Job> batch() {
    List<Job> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      batch.add(fairlead.submit(PlainDeployments.pod("batch-" + i)));
    }
    return batch;
  }

  /**
   * The peer in the same world: rolling updates of Deployments of the same size with a maxSurge of
   * 1. Fails when they complete on a full fleet, or do not after the end of the batch.
   */
  @Test
  void plainDeploymentsWaitForTheirSurgeOnAFullFleet() {
    full();
    PlainDeployments peer = new PlainDeployments(fairlead, SERVICES, REPLICAS);
    List<Job> batch = batch();
    passes(20, peer);
    assertThat(held()).as("the fleet is full").isEqualTo(112_000);

    int complete = 0;
    for (int round = 0; round < ROUNDS; round++) {
      peer.update();
      passes(600, peer);
      complete += peer.complete();
      peer.undo();
    }
    batch.forEach(job -> {
      Job _ = fairlead.commands().cancel(fairlead.ana(), job.id());
    });
    peer.update();
    passes(600, peer);
    System.out.printf(
        "figure services: %d of %d rolling updates of plain Deployments (maxSurge 1) on the same full"
            + " fleet complete within their deadline of 10 minutes, and %d of %d with %d free"
            + " GPUs%n",
        complete, ROUNDS * SERVICES, peer.complete(), SERVICES, BATCH);
    assertThat(complete).isZero();
    assertThat(peer.complete()).isEqualTo(SERVICES);
  }

  private void passes(int seconds, PlainDeployments peer) {
    for (int i = 0; i < seconds; i++) {
      stores.clock().advance(Duration.ofSeconds(1));
      fairlead.turn();
      peer.look();
    }
  }

  /**
   * Fails when a rollout on a full fleet ends neither promoted nor waiting with its reason, or when
   * a service has fewer ready replicas than its floor.
   */
  @Test
  void rolloutsOnAFullFleetNeitherDeadlockNorBreakTheFloor() {
    ServiceParts.letQueuesPreempt(fairlead);
    full();
    services(SERVICES);
    names.forEach(this::release);
    for (int i = 0; i < 60; i++) {
      second();
    }
    List<Job> _ = batch();
    for (int i = 0; i < 20; i++) {
      second();
    }
    assertThat(held()).as("the fleet is full").isEqualTo(112_000);

    int promoted = 0;
    int halfFitted = 0;
    long deadlocks = 0;
    int longest = 0;
    for (int round = 0; round < ROUNDS; round++) {
      names.forEach(this::release);
      int seconds = 0;
      do {
        second();
        seconds++;
        for (ServiceState state : stores.services().all()) {
          halfFitted += readyOf(state) < REPLICAS ? 1 : 0;
        }
      } while (seconds < 1200 && stores.services().all().stream().anyMatch(this::open));
      longest = Math.max(longest, seconds);
      deadlocks += stores.services().all().stream().filter(this::open).count();
      int version = round + 2;
      promoted +=
          Math.toIntExact(
              stores.services().all().stream()
                  .filter(state -> state.stable() == version)
                  .filter(state -> state.rollout().phase() == RolloutPhase.PROMOTED)
                  .count());
    }
    System.out.printf(
        "figure services: %d of %d rollouts on a full fleet promoted, %d still open after 20 minutes,"
            + " %d services below their floor in any second, slowest round %d s%n",
        promoted, ROUNDS * SERVICES, deadlocks, halfFitted, longest);
    assertThat(deadlocks).isZero();
    assertThat(promoted).isEqualTo(ROUNDS * SERVICES);
    assertThat(halfFitted).isZero();
  }
}
