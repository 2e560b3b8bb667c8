package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.KubeconfigReader;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.HostLookup;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.kubernetes.call.CallLimits;
import dev.fairlead.work.workload.kubernetes.client.SafeKubeconfigReader;
import dev.fairlead.work.workload.kubernetes.node.TopologyLevels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.Assertions;

/** Gateways to the shared control plane, created like the service's own. */
public final class RealCluster {
  static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final EgressPolicy LOOPBACK =
      new EgressPolicy(List.of(Cidr.parse("127.0.0.0/8")), HostLookup.system(5));

  /**
   * Probes often, but drops connections no sooner than the service, because the machine may be
   * slow.
   */
  private static final KubernetesSettings QUICK =
      new KubernetesSettings(
          TopologyLevels.DEFAULT,
          "cluster.local",
          KubernetesSettings.DEFAULT.callTimeout(),
          Duration.ofMillis(500),
          KubernetesSettings.DEFAULT.reopen(),
          KubernetesSettings.DEFAULT.quiet(),
          false,
          CallLimits.DEFAULT,
          KubernetesSettings.DEFAULT.helperImage());

  private RealCluster() {}

  static Connection.Kubernetes connection(TestCluster cluster) {
    return connection(cluster.kubeconfig());
  }

  static Connection.Kubernetes connection(String kubeconfig) {
    return switch (new SafeKubeconfigReader(LOOPBACK).read(kubeconfig)) {
      case KubeconfigReader.Answer.Accepted accepted -> accepted.connection();
      case KubeconfigReader.Answer.Refused refused -> throw new AssertionError(refused.problems());
    };
  }

  static ClusterGateway connect(Installation installation, Connection.Kubernetes connection) {
    return connect(installation, connection, LOOPBACK);
  }

  static ClusterGateway connect(
      Installation installation, Connection.Kubernetes connection, EgressPolicy egress) {
    return connect(installation, connection, egress, ClusterSettings.DEFAULT);
  }

  private static ClusterGateway connect(
      Installation installation,
      Connection.Kubernetes connection,
      EgressPolicy egress,
      ClusterSettings settings) {
    return new KubernetesConnector(egress, QUICK, null)
        .connect(installation, row(settings), connection);
  }

  /** Connected, with a complete first view. */
  public static ClusterGateway synced(Installation installation, TestCluster cluster) {
    return synced(installation, cluster, ClusterSettings.DEFAULT);
  }

  public static ClusterGateway synced(
      Installation installation, TestCluster cluster, ClusterSettings settings) {
    ClusterGateway gateway = connect(installation, connection(cluster), LOOPBACK, settings);
    eventually(
        "the cluster is seen",
        () -> gateway.contact().synced() && gateway.contact().silentMillis() == 0);
    return gateway;
  }

  /** Acts under this epoch, and is seen to be fenced by the cluster. */
  public static void fenced(ClusterGateway gateway, long epoch) {
    eventually(
        "the cluster is ours and refuses older epochs",
        () ->
            gateway.claim(epoch, 0).equals(EpochClaim.OURS)
                && gateway.capabilities().fence() == Capabilities.Fence.ENFORCED);
  }

  /**
   * The first outcome that is an answer. Unsent and unanswered calls are retried as the supervisor
   * does. A connection that is replaced because its cluster was silent cuts requests in transit and
   * accepts none until the next connection exists.
   */
  public static ActionOutcome answered(ClusterGateway gateway, WorkloadAction action) {
    ActionOutcome[] last = new ActionOutcome[1];
    eventually(
        "an answer",
        () -> {
          last[0] = gateway.apply(action);
          return !(last[0] instanceof ActionOutcome.Unavailable);
        });
    return last[0];
  }

  /**
   * Repeats the action until the cluster accepts it, as the supervisor does: a node that was just
   * created may still have a taint, and a new namespace may refuse pods for a moment.
   */
  static void done(ClusterGateway gateway, WorkloadAction action) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    ActionOutcome last = answered(gateway, action);
    while (!(last instanceof ActionOutcome.Done) && System.nanoTime() < deadline) {
      pause(Duration.ofMillis(100));
      last = answered(gateway, action);
    }
    Assertions.assertThat(last).isInstanceOf(ActionOutcome.Done.class);
  }

  /** Waits for a real process by polling every few milliseconds, for a bounded time. */
  public static void eventually(String what, BooleanSupplier holds) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!holds.getAsBoolean()) {
      Assertions.assertThat(System.nanoTime()).as(what).isLessThan(deadline);
      pause(Duration.ofMillis(20));
    }
  }

  public static void pause(Duration time) {
    java.util.concurrent.locks.LockSupport.parkNanos(time.toNanos());
  }

  private static Cluster row(ClusterSettings settings) {
    return new Cluster(
        new ClusterId(new UUID(1, 2)),
        "real",
        ClusterKind.KUBERNETES,
        ClusterState.ACTIVE,
        CapacityType.RESERVED,
        new TreeMap<>(),
        settings,
        Capabilities.UNOBSERVED,
        Instant.EPOCH,
        null,
        null,
        1);
  }
}
