package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.ModelServiceView;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.ReplicaWatch;
import dev.fairlead.work.serving.service.ServingLoop;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;

/** A model service on a simulated cluster whose gateway counts requests. */
abstract class ServiceScene {
  static final ModelServices.Name CHAT = new ModelServices.Name("project", "chat");

  /** Used by the next apply. */
  LoadTarget scale;

  /** Used by the next apply. */
  List<ModelService.Floor> floors = List.of();

  /** Used by the next apply. */
  Duration idleAfter;

  /** Used by the next apply. */
  List<Guard> guards = List.of();

  /** Used by the next apply. */
  RouteOptions options = RouteOptions.NONE;

  final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
  final MemoryStores stores = fairlead.stores();
  final ReplicaWatch watch = ServiceParts.replicas(stores);
  final ModelServices services = ServiceParts.models(fairlead, watch);
  final MeterRegistry metrics = new SimpleMeterRegistry();
  final ServingLoop loop = ServiceParts.serving(fairlead, watch, metrics);

  SimulatedCluster cluster;

  @BeforeEach
  void aFleet() {
    cluster = fairlead.register("eu", new FleetPool(2, 8, "H100", 1, 1));
    pass(3);
  }

  void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      fairlead.pass(Duration.ofSeconds(1));
      loop.tick();
    }
  }

  static Specs server(String run) {
    return Specs.job("").gpus(1).run(run).annotation("sim.fairlead.dev/requests", "100");
  }

  ModelServiceView apply(Specs job, int floor, int most) {
    return apply(job, floor, most, List.of(5, 25, 100));
  }

  ModelServiceView apply(Specs job, int floor, int most, List<Integer> steps) {
    return apply(job, floor, most, steps, ServiceVersion.Endpoint.DEFAULT);
  }

  ModelServiceView apply(Specs job, int floor, int most, ServiceVersion.Endpoint endpoint) {
    return apply(job, floor, most, List.of(5, 25, 100), endpoint);
  }

  private ModelServiceView apply(
      Specs job, int floor, int most, List<Integer> steps, ServiceVersion.Endpoint endpoint) {
    AppliedService request =
        new AppliedService(
            "chat.example",
            new AppliedService.Scale(floor, most, scale, floors, idleAfter),
            steps,
            Duration.ofSeconds(10),
            Duration.ofMillis(500),
            job.build(),
            endpoint,
            ModelService.Access.OPEN,
            guards,
            options);
    return services.put(fairlead.ana(), CHAT, request, null, false);
  }

  ModelServiceView chat() {
    return services.one(fairlead.ana(), CHAT);
  }

  int weight(int version) {
    return chat().backends().stream()
        .filter(each -> each.version() == version)
        .mapToInt(ModelServiceView.BackendView::weight)
        .sum();
  }

  int ready() {
    return chat().backends().stream().mapToInt(ModelServiceView.BackendView::ready).sum();
  }

  void serving() {
    apply(server("v1"), 3, 5);
    pass(15);
    assertThat(weight(1)).isEqualTo(100);
    assertThat(ready()).isEqualTo(3);
  }

  RolloutPhase phase() {
    ModelServiceView.RolloutView rollout = chat().rollout();
    return rollout == null ? null : rollout.phase();
  }

  List<Job> jobs() {
    return stores.jobs().all().stream()
        .filter(job -> job.spec().labels().containsKey(ServiceVersion.SERVICE_LABEL))
        .toList();
  }

  ServiceState state() {
    return stores.services().all().getFirst();
  }

  void withReplicas(UnaryOperator<Replica> change) {
    ServiceState now = state();
    stores.services().update(now.with(now.replicas().stream().map(change).toList()));
  }

  /** The queue of the project has this number of GPUs. */
  void quota(int gpus) {
    QuotaNode queue =
        stores.quotas().nodes(fairlead.ana().tenant()).stream()
            .filter(QuotaNode::isQueue)
            .findFirst()
            .orElseThrow();
    stores.quotas().update(limited(queue, 1000L * gpus));
  }

  private static QuotaNode limited(QuotaNode node, long gpuMilli) {
    return node.with()
        .limits(
            List.of(
                new QuotaLimit(
                    new Flavor("H100", CapacityType.RESERVED),
                    "gpu",
                    gpuMilli,
                    0L,
                    null,
                    List.of(),
                    Duration.ofMinutes(5))))
        .version(node.version() + 1)
        .build();
  }

  static Replica restarted(Replica of, int restarts, JobId job) {
    return new Replica(
        of.version(), of.ordinal(), of.since(), restarts, job, null, false, "", of.surplus());
  }
}
