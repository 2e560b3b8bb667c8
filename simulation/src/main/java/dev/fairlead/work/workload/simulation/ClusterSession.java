package dev.fairlead.work.workload.simulation;

import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.Contact;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.InventoryView;
import dev.fairlead.work.workload.LogRequest;
import dev.fairlead.work.workload.MemberSession;
import dev.fairlead.work.workload.NodeNotes;
import dev.fairlead.work.workload.SessionRequest;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.simulation.session.SimulatedSession;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a cluster that may have others. A closed connection does not affect the
 * cluster.
 */
final class ClusterSession implements ClusterGateway {
  private final SimulatedCluster cluster;
  private volatile boolean closed;

  ClusterSession(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  @Override
  public Contact contact() {
    return cluster.contact();
  }

  @Override
  public Capabilities capabilities() {
    return cluster.capabilities();
  }

  @Override
  public InventoryView inventory() {
    return cluster.inventory();
  }

  @Override
  public Optional<NodeReport> nodeNow(String name) {
    return cluster.nodeNow(name);
  }

  @Override
  public boolean gone(String namespace, AttemptId attempt, MemberKey member, String uid) {
    return cluster.gone(namespace, attempt, member, uid);
  }

  @Override
  public WorkloadView workloadsSince(long revision) {
    return cluster.workloadsSince(revision);
  }

  @Override
  public EpochClaim claim(long epoch, long watermark) {
    return closed
        ? new EpochClaim.Unknown("the connection is closed")
        : cluster.claim(epoch, watermark);
  }

  @Override
  public ServingGateway serving() {
    return routes -> closed ? Optional.empty() : cluster.serving().serve(routes);
  }

  @Override
  public ActionOutcome apply(WorkloadAction action) {
    return closed
        ? new ActionOutcome.Unavailable("the connection is closed")
        : cluster.apply(action);
  }

  @Override
  public VolumeOutcome provide(VolumeOrder order) {
    return closed
        ? new VolumeOutcome.Not(new ActionOutcome.Unavailable("the connection is closed"))
        : cluster.provide(order);
  }

  @Override
  public SupplyAnswer supply(SupplyCall call) {
    return closed ? new SupplyAnswer.Unanswered("the connection is closed") : cluster.supply(call);
  }

  @Override
  public ActionOutcome keepOut(String node, boolean out) {
    return closed
        ? new ActionOutcome.Unavailable("the connection is closed")
        : cluster.keepOut(node, out);
  }

  @Override
  public ActionOutcome setLabelsAndTaints(String node, NodeLabelsAndTaints wanted) {
    return closed
        ? new ActionOutcome.Unavailable("the connection is closed")
        : cluster.setLabelsAndTaints(node, wanted);
  }

  @Override
  public NodeNotes note(String node, SortedMap<String, @Nullable String> notes) {
    return closed ? new NodeNotes.Not("the connection is closed") : cluster.note(node, notes);
  }

  @Override
  public InputStream logs(LogRequest request) throws IOException {
    return cluster.logs(request);
  }

  @Override
  public MemberSession open(SessionRequest request, MemberSession.Receiver receiver)
      throws IOException {
    if (closed || cluster.contact().silentMillis() > 0) {
      throw new IOException("the cluster does not answer");
    }
    boolean runs =
        Optional.ofNullable(cluster.workloadsSince(0).workloads().get(request.attempt()))
            .flatMap(workload -> workload.member(request.member()))
            .filter(member -> member.state() == MemberState.RUNNING)
            .isPresent();
    if (!runs) {
      throw new MemberSession.Refused("the member does not run");
    }
    return SimulatedSession.open(request, receiver);
  }

  @Override
  public void onChange(Runnable listener) {
    cluster.listen(this, listener);
  }

  @Override
  public void close() {
    closed = true;
    cluster.forget(this);
  }
}
