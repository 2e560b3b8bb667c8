package dev.fairlead.care.healthtest;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.spec.BackendLoss;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A test that nodes must pass, as a job of one member.
 *
 * @param project project of the tenant, in which its jobs run
 * @param job the job that runs on the node, with all GPUs of the node when it requests none
 * @param every interval between tests of a node that passed, or null for tests on demand only
 * @param idleFor idle time of a node before a test
 * @param atOnce maximum number of nodes under test at a time
 * @param step repair of a node that fails
 * @param actor the operator of the last change
 */
@RecordBuilder
public record HealthTest(
    String name,
    TenantId tenant,
    String project,
    JobSpec job,
    @Nullable Duration every,
    Duration idleFor,
    int atOnce,
    RepairStep step,
    String actor,
    Instant changedAt)
    implements HealthTestBuilder.With {
  /** One document of the platform for each test. */
  public static final ConfigType<HealthTest> DOCUMENTS =
      new ConfigType<>(ConfigKind.HEALTH_TEST, HealthTest.class);

  /** Maximum number of health tests. */
  public static final int MOST = 50;

  /** Maximum number of nodes that a test may have at a time. */
  public static final int MOST_AT_ONCE = 100;

  private static final long WHOLE = 1000;

  /** Label that binds a job to its node. */
  static final String HOSTNAME = "kubernetes.io/hostname";

  /** The document of a test that is not stored yet. */
  public ConfigDocument<HealthTest> document() {
    return ConfigDocument.ofPlatform(DOCUMENTS, name, this);
  }

  /** Returns the test with this operator as its author. */
  public HealthTest by(Actor operator, Instant now) {
    return with().actor(operator.name()).changedAt(now).build();
  }

  /** Returns the reason why a job cannot be the job of a health test, or empty when it can. */
  public static Optional<String> objection(JobSpec job) {
    if (job.members() > 1 || job.elastic() || job.array() != null) {
      return Optional.of(
          "a health test is one member on one node: remove workers, array, and roles with more"
              + " than one member");
    }
    if (job.maxRuntime() == null) {
      return Optional.of("maxRuntime is missing: a longer test counts as hung, for example 10m");
    }
    if (!job.dependsOn().isEmpty() || job.notBefore() != null || job.deadline() != null) {
      return Optional.of(
          "Fairlead decides when a health test runs: remove dependsOn, notBefore and deadline");
    }
    if (job.preflight() != null) {
      return Optional.of("a health test cannot have a preflight test: remove preflight");
    }
    GpuRequest.Kind gpu = job.roles().getFirst().gpu().kind();
    return gpu == GpuRequest.Kind.NONE || gpu == GpuRequest.Kind.WHOLE
        ? Optional.empty()
        : Optional.of(
            "a health test takes whole GPUs: set gpu to a count, or remove it for all GPUs of"
                + " the node");
  }

  /** The role of the only member. */
  RoleSpec role() {
    return job.roles().getFirst();
  }

  /**
   * Returns whether the test covers a node, regardless of the state of the node. No test covers a
   * cluster with another scheduler, which may bind the test to another node.
   */
  public boolean covers(Node node, Cluster cluster) {
    PlacementSpec where = job.placement();
    CapacityType capacity = node.capacity() == null ? cluster.capacity() : node.capacity();
    return gpus(node) > 0
        && gpus(node) * WHOLE <= node.allocatable().gpuMilli()
        && role().gpu().accepts(node.gpuModel(), node.gpuMemoryMiB())
        && node.labels().containsKey(HOSTNAME)
        && !BackendLoss.NODE_LABELS.refusedBy(cluster.settings().backend().kind())
        && (where.clusters().isEmpty() || where.clusters().contains(cluster.name()))
        && (where.pools().isEmpty()
            || node.pool() != null && where.pools().contains(node.pool().name()))
        && where.capacity().contains(capacity)
        && node.labels().entrySet().containsAll(where.nodeLabels().entrySet());
  }

  /** Number of whole GPUs of the node that the job takes. */
  int gpus(Node node) {
    GpuRequest asked = role().gpu();
    return asked.kind() == GpuRequest.Kind.NONE
        ? (int) (node.allocatable().gpuMilli() / WHOLE)
        : asked.count();
  }
}
