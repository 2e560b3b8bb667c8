package dev.fairlead.verify.engine;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Capabilities.Presence;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.verify.EngineObjects;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PriorityClass;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One cluster of nodes with 8 H100, in racks of 16 and one block, and one queue of jobs. */
final class WorldBuilder {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final TenantId TENANT = new TenantId(new UUID(9, 1));
  private static final QuotaNodeId QUEUE = new QuotaNodeId(new UUID(3, 1));
  private static final ClusterId CLUSTER = new ClusterId(new UUID(2, 1));
  static final int GPUS = 8;
  private static final int RACK = 16;

  private final boolean sharing;
  private final JobSpec runningSpec = spec(role(GpuRequest.whole(1), 4, 1), null);
  private final List<Node> nodes = new ArrayList<>();
  private final List<PendingJob> jobs = new ArrayList<>();
  private final List<World.LiveAttempt> live = new ArrayList<>();
  private PreemptionRules rules = PreemptionRules.NONE;

  WorldBuilder(boolean sharing) {
    this.sharing = sharing;
  }

  /**
   * Adds nodes.
   *
   * @param used whole GPUs in use on each, with 4 cores and 16 GiB per GPU
   */
  WorldBuilder nodes(int count, int used) {
    for (int i = 0; i < count; i++) {
      nodes.add(node(nodes.size(), used));
      for (int gpu = 0; gpu < used; gpu++) {
        live.add(running(nodes.getLast(), gpu));
      }
    }
    return this;
  }

  /** Allows its queue to evict its own lower priorities. */
  WorldBuilder evicting() {
    rules =
        new PreemptionRules(
            PreemptionRules.WithinQueue.LOWER_PRIORITY, PreemptionRules.Reclaim.NEVER, false);
    return this;
  }

  /** A job of one GPU that runs there. */
  private World.LiveAttempt running(Node node, int gpu) {
    int number = 1_000_000 + live.size();
    Job job = job(number, runningSpec);
    Member member =
        Member.planned(
            "worker",
            0,
            node.id(),
            node.name(),
            new Flavor(node.gpuModel(), CapacityType.RESERVED),
            ResourceVector.of(4000, 16_384, Gpu.WHOLE_MILLI, 1),
            List.of(new GpuShare(gpu, node.gpus().get(gpu).serial(), Gpu.WHOLE_MILLI)));
    Attempt attempt =
        new Attempt(
            new AttemptId(new UUID(5, number)),
            job.id(),
            0,
            1,
            CLUSTER,
            1,
            NOW,
            AttemptStatus.of(AttemptState.RUNNING).withStartedAt(NOW),
            List.of(member),
            List.of());
    return new World.LiveAttempt(attempt, job);
  }

  /** A copy of the job with another identity. */
  static PendingJob again(PendingJob pending, int number) {
    return new PendingJob(job(number, pending.job().spec()), pending.offers(), List.of(), null);
  }

  private static Job job(int number, JobSpec spec) {
    Instant created = NOW.minusSeconds(10_000 - number % 10_000);
    return new Job(
        new JobId(new UUID(1, number)),
        TENANT,
        new ProjectId(new UUID(9, 2)),
        QUEUE,
        "j" + number,
        "user",
        spec,
        PriorityClass.NORMAL.value(),
        created,
        JobStatus.queued(created),
        null,
        List.of(),
        1);
  }

  WorldBuilder job(GpuRequest gpu, int cores, int members, @Nullable TopologySpec topology) {
    int number = jobs.size() + 1;
    Job job = job(number, spec(role(gpu, cores, members), topology));
    jobs.add(new PendingJob(job, List.of(new PendingJob.Offer(0, 0, null)), List.of(), null));
    return this;
  }

  World build() {
    QuotaNode queue =
        new QuotaNode(
            QUEUE,
            TENANT,
            "default",
            null,
            0,
            1000,
            List.of(),
            rules,
            QueueSettings.DEFAULT,
            SharePolicy.DOMINANT_SHARE,
            null,
            1);
    return World.at(NOW)
        .clusters(List.of(cluster()))
        .nodes(nodes)
        .quotaNodes(List.of(queue))
        .pending(jobs)
        .live(live)
        .build();
  }

  private Cluster cluster() {
    Capabilities capabilities =
        new Capabilities(
            "1.36",
            Capabilities.Fence.ENFORCED,
            GpuIdentity.ENFORCED,
            sharing,
            false,
            true,
            false,
            List.of("block", "rack", "host"),
            "cluster.local",
            false,
            List.of(),
            Collections.emptySortedMap(),
            null,
            List.of(),
            List.of(),
            Presence.UNKNOWN,
            List.of());
    return new Cluster(
        CLUSTER,
        "bench",
        ClusterKind.SIMULATED,
        ClusterState.ACTIVE,
        CapacityType.RESERVED,
        Collections.emptySortedMap(),
        ClusterSettings.DEFAULT,
        capabilities,
        NOW,
        NOW,
        null,
        1);
  }

  static Node node(int number, int used) {
    String name = String.format(java.util.Locale.ROOT, "n%05d", number);
    List<Gpu> gpus = new ArrayList<>();
    for (int i = 0; i < GPUS; i++) {
      gpus.add(new Gpu(i, name + "/" + i, GpuState.HEALTHY, i < used ? Gpu.WHOLE_MILLI : 0));
    }
    NodeStatus status =
        NodeStatus.EMPTY
            .with()
            .state(NodeState.ACTIVE)
            .gpuModel("H100")
            .gpuMemoryMiB(81_559)
            .allocatable(ResourceVector.of(192_000, 1 << 20, GPUS * 1000L, 110))
            .allocated(ResourceVector.of(used * 4000L, used * 16_384L, used * 1000L, used))
            .topology(
                new TreeMap<>(Map.of("block", "b1", "rack", "r" + number / RACK, "host", name)))
            .bootId("boot")
            .gpus(gpus)
            .build();
    return new Node(new NodeId(new UUID(4, number + 1L)), CLUSTER, name, 1, null, status);
  }

  private static RoleSpec role(GpuRequest gpu, int cores, int members) {
    return new EngineObjects.Members("worker", members, members, gpu, cores * 1000L, 16_384)
        .of("image", members == 1 ? null : new TopologySpec("rack", TopologySpec.Mode.PREFERRED));
  }

  private static JobSpec spec(RoleSpec role, @Nullable TopologySpec topology) {
    PlacementSpec placement = PlacementSpec.ANYWHERE.with().topology(topology).build();
    return EngineObjects.job("default", List.of(role), placement, true, Duration.ofSeconds(30));
  }
}
