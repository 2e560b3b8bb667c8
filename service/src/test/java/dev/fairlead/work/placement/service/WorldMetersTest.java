package dev.fairlead.work.placement.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WorldMetersTest {
  private static final int JOBS = 10_000;
  private static final int USERS = 1_000;
  private static final int QUEUES = 100;
  private static final int CLUSTERS = 50;

  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final AtomicLong nanos = new AtomicLong();
  private final WorldMeters meters = new WorldMeters(metrics, nanos::get);
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);

  private double value(Metric metric, String... tags) {
    return metrics.get(metric.meter()).tags(tags).gauge().value();
  }

  /** Fails when a queue's oldest job is not followed between two views. */
  @Test
  void queueReportsItsJobsAndTheAgeOfTheOldestWithoutChanges() {
    world.submit(Specs.job("one"));
    meters.changed(stores.world().read());
    nanos.addAndGet(Duration.ofMinutes(3).toNanos());

    assertThat(value(Metric.QUEUE_PENDING, "queue", world.queue().name())).isEqualTo(1);
    assertThat(value(Metric.QUEUE_OLDEST_WAIT, "queue", world.queue().name()))
        .isGreaterThanOrEqualTo(180)
        .isLessThan(240);
  }

  @Test
  void gpusAreThoseOfTheNodesAndNoneIsCountedTwice() {
    meters.changed(stores.world().read());
    String cluster = world.cluster().name();
    assertThat(value(Metric.GPUS, "cluster", cluster, "state", "free")).isEqualTo(16);

    world.place(world.submit(Specs.job("one").gpus(4)));
    meters.changed(stores.world().read());
    assertThat(value(Metric.GPUS, "cluster", cluster, "state", "allocated")).isEqualTo(4);
    assertThat(value(Metric.GPUS, "cluster", cluster, "state", "free")).isEqualTo(12);
    assertThat(value(Metric.ATTEMPTS, "cluster", cluster, "state", "PLANNED")).isEqualTo(1);
  }

  /** Fails when the use of a broken GPU is lost, or a closed node shows free GPUs. */
  @Test
  void failedGpuAndCordonedNodeReportNoFreeCapacity() {
    List<Node> nodes = new ArrayList<>(stores.world().read().nodes());
    List<Gpu> gpus = new ArrayList<>(nodes.getFirst().gpus());
    gpus.set(0, new Gpu(0, "broken", GpuState.FAILED, 250));
    gpus.set(1, new Gpu(1, "shared", GpuState.HEALTHY, 500));
    nodes.set(0, on(nodes.getFirst(), world.cluster().id(), NodeState.ACTIVE, gpus));
    Node other = nodes.get(1);
    nodes.set(1, on(other, world.cluster().id(), NodeState.CORDONED, other.gpus()));
    World read = stores.world().read();

    meters.changed(World.at(read.asOf()).clusters(read.clusters()).nodes(nodes).build());

    String cluster = world.cluster().name();
    assertThat(value(Metric.GPUS, "cluster", cluster, "state", "failed")).isEqualTo(0.75);
    assertThat(value(Metric.GPUS, "cluster", cluster, "state", "allocated")).isEqualTo(0.75);
    assertThat(value(Metric.GPUS, "cluster", cluster, "state", "free")).isEqualTo(6.5);
    assertThat(value(Metric.GPUS, "cluster", cluster, "state", "closed")).isEqualTo(8);
  }

  /** Fails when a process that no longer plans still publishes its last snapshot. */
  @Test
  void processThatNoLongerPlansReportsNothing() {
    world.submit(Specs.job("one"));
    meters.read(0);
    meters.changed(stores.world().read());
    assertThat(metrics.getMeters()).isNotEmpty();

    meters.forget();

    assertThat(metrics.getMeters()).isEmpty();
  }

  /** Fails when a job or a user becomes a label. */
  @Test
  void seriesDoNotGrowWithJobsAndUsers() {
    meters.changed(large(JOBS, USERS));
    int many = metrics.getMeters().size();
    meters.changed(large(USERS, 1));

    assertThat(metrics.getMeters()).hasSize(many);
    assertThat(many)
        .isLessThanOrEqualTo(
            List.of(
                    Metric.QUEUE_PENDING,
                    Metric.QUEUE_OLDEST_WAIT,
                    Metric.GPUS,
                    Metric.ATTEMPTS,
                    Metric.ATTEMPTS_OLDEST)
                .stream()
                .mapToInt(Metric::most)
                .sum());
  }

  private World large(int jobs, int users) {
    World small = stores.world().read();
    Job job = world.newJob(Specs.job("one").build());
    List<QuotaNode> queues = new ArrayList<>();
    for (int i = 0; i < QUEUES; i++) {
      queues.add(queue(i));
    }
    List<PendingJob> pending = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      pending.add(waiting(job, i, "user-" + i % users, queues.get(i % QUEUES).id()));
    }
    List<Cluster> clusters = new ArrayList<>();
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < CLUSTERS; i++) {
      ClusterId id = new ClusterId(new UUID(3, i));
      clusters.add(cluster(small.clusters().getFirst(), id, "cluster-" + i));
      small.nodes().forEach(node -> nodes.add(on(node, id, node.state(), node.gpus())));
    }
    return World.at(small.asOf())
        .clusters(clusters)
        .nodes(nodes)
        .quotaNodes(queues)
        .pending(pending)
        .build();
  }

  private QuotaNode queue(int i) {
    QuotaNode q = world.queue();
    return q.with().id(new QuotaNodeId(new UUID(1, i))).name("queue-" + i).version(1).build();
  }

  private static PendingJob waiting(Job job, int i, String user, QuotaNodeId queue) {
    Job one =
        job.with()
            .id(new JobId(new UUID(2, i)))
            .queue(queue)
            .name("job-" + i)
            .user(user)
            .array(null)
            .version(1)
            .build();
    return new PendingJob(one, List.of(new PendingJob.Offer(0, 0, null)), List.of(), null);
  }

  private static Cluster cluster(Cluster like, ClusterId id, String name) {
    return like.with().id(id).name(name).build();
  }

  private static Node on(Node like, ClusterId cluster, NodeState state, List<Gpu> gpus) {
    return like.with()
        .cluster(cluster)
        .status(like.status().with().state(state).gpus(gpus).build())
        .build();
  }
}
