package dev.fairlead.work.workload;

import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.connection.AccountToken;
import dev.fairlead.fleet.node.NodeLabelsAndTaints;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.serving.ServingGateway;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Observes and changes one cluster. Methods may be called from several threads. No call blocks
 * without a bound.
 */
public interface ClusterGateway extends AutoCloseable {
  Contact contact();

  Capabilities capabilities();

  InventoryView inventory();

  /**
   * The node in the cluster's current state, where {@link #inventory} may lag, empty if the cluster
   * does not answer. A lost machine is reported as such.
   */
  Optional<NodeReport> nodeNow(String name);

  /**
   * Workloads that changed since the revision, all for 0. A gateway that no longer knows the
   * revision returns everything.
   */
  WorkloadView workloadsSince(long revision);

  /**
   * Records a launched attempt as the database has it, before it is stopped, cleared away or judged
   * by missing pods. It may run in the pods of an object of a user, and a watch that lags, or a
   * cluster after a restore, does not show that. Cheap when repeated.
   */
  default void recognise(Attempt attempt, Job job) {}

  /**
   * Returns whether the cluster has answered that the pod does not exist. {@link #workloadsSince}
   * may lack a pod if another party changed its labels. Without a response, the pod is looked up
   * repeatedly, and is reported in its real state after a successful read. Returns immediately.
   *
   * @param uid UID of the pod that the member had
   */
  boolean gone(String namespace, AttemptId attempt, MemberKey member, String uid);

  /** Attempts with pods that the watch stopped showing and that are being looked up. */
  default SortedSet<AttemptId> lookedUp() {
    return Collections.emptySortedSet();
  }

  /**
   * Claims the cluster for this epoch and watermark, unless it knows a higher epoch or a higher
   * watermark. Called before any change to the cluster. Cheap when repeated.
   *
   * @param watermark progress of the database, as of the lease under which this is called
   */
  EpochClaim claim(long epoch, long watermark);

  /**
   * Project namespaces with special settings. Replaces the previous list. Runs in the background
   * while this process serves the cluster. Does nothing if the cluster has no namespaces.
   */
  default void plan(List<NamespacePlan> plans) {}

  /**
   * Removes the namespace of a project that is no longer needed, if this installation created it
   * for that project and it contains nothing foreign. Checked on the cluster immediately before.
   * May take the time of a few calls. Never throws for errors of a cluster. Removed immediately on
   * a cluster without namespaces.
   */
  default RemovalOutcome remove(String namespace, ProjectId project) {
    return RemovalOutcome.GONE;
  }

  /**
   * Creates the claim of a volume without an identity, unless the volume's claim exists, and reads
   * it otherwise: a claim with a known identity is never created again. Never throws for errors of
   * a cluster.
   */
  default VolumeOutcome provide(VolumeOrder order) {
    return new VolumeOutcome.Not(
        new ActionOutcome.Refused(
            ActionOutcome.Why.UNSUPPORTED, "this kind of cluster has no volumes"));
  }

  /**
   * Requests nodes from the cluster's autoscaler through an object named after the key of the
   * request, or removes that object. Never throws for errors of a cluster.
   */
  default SupplyAnswer supply(SupplyCall call) {
    return new SupplyAnswer.Unanswered("this kind of cluster has no autoscaler");
  }

  /** Jobs of its API that request to be run by Fairlead. */
  default FrontGateway front() {
    return FrontGateway.NONE;
  }

  /** The routes of model services. */
  default ServingGateway serving() {
    return ServingGateway.NONE;
  }

  /**
   * Performs the action, or returns the reason for a refusal. Never throws for errors of a cluster.
   */
  ActionOutcome apply(WorkloadAction action);

  /**
   * Cordons a node on its cluster, or removes our cordon. A foreign cordon stays. Refused without
   * the right: the cordon then applies only in Fairlead.
   */
  ActionOutcome keepOut(String node, boolean out);

  /**
   * Sets our labels and taints on the node and removes our other ones. A foreign label or taint
   * with the same name stays, and the call is refused with {@code NAME_TAKEN}. Without the
   * permission, it is also refused: pool and quarantine then apply only in Fairlead. Never throws
   * for errors of a cluster.
   */
  default ActionOutcome setLabelsAndTaints(String node, NodeLabelsAndTaints wanted) {
    return new ActionOutcome.Refused(
        ActionOutcome.Why.UNSUPPORTED, "this kind of cluster has no labels and taints");
  }

  /**
   * Writes annotations of a node under {@link RepairNotes#PREFIX}, and returns all such
   * annotations. Never throws for errors of a cluster.
   *
   * @param notes by name. Null takes one away
   */
  default NodeNotes note(String node, SortedMap<String, @Nullable String> notes) {
    return new NodeNotes.Not("this kind of cluster has no annotations");
  }

  /**
   * Output of a member on its cluster, in order of writing. Each line begins with its time and a
   * blank.
   *
   * @throws IOException when there is none or the cluster does not answer. The message is for
   *     people
   */
  InputStream logs(LogRequest request) throws IOException;

  /**
   * Opens a session in a running member. Waits for the cluster within the time limit of a call.
   *
   * @throws MemberSession.Refused if the cluster answers and does not open the session
   * @throws IOException if the cluster does not answer. The message is for people
   */
  default MemberSession open(SessionRequest request, MemberSession.Receiver receiver)
      throws IOException {
    throw new MemberSession.Refused("this kind of cluster supports no sessions");
  }

  /**
   * A new token for the service account of the current token. The connection works: the cluster has
   * answered a call.
   *
   * @throws IOException when the cluster issues none, or rejects the issued one. The message is for
   *     people
   */
  default Secret newToken(AccountToken used) throws IOException {
    throw new IOException("this kind of cluster issues no tokens");
  }

  /** Runs the listener soon after a change. At most one is registered. */
  void onChange(Runnable listener);

  @Override
  void close();
}
