package dev.fairlead.work.workload;

import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.fleet.cluster.AccountToken;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeMarks;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.MemberKey;
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
 * One cluster, as Fairlead sees and changes it. Methods may be called from several threads; none
 * blocks without bound.
 */
public interface ClusterGateway extends AutoCloseable {
  Contact contact();

  Capabilities capabilities();

  InventoryView inventory();

  /**
   * The node as its cluster has it while this is asked, where {@link #inventory} may lag behind;
   * empty when that cannot be told. A machine that is known to be gone is told as such.
   */
  Optional<NodeReport> nodeNow(String name);

  /**
   * Workloads that changed since the revision; 0 asks for everything. A gateway that no longer
   * knows the revision answers with everything.
   */
  WorkloadView workloadsSince(long revision);

  /**
   * Whether the cluster has answered that it has no such pod. {@link #workloadsSince} may not show
   * one whose labels somebody changed. Without an answer it is looked for until there is one, and
   * shown as it is once it was read. Returns at once.
   *
   * @param uid of the pod that the member had
   */
  boolean gone(String namespace, AttemptId attempt, MemberKey member, String uid);

  /** Attempts with pods that the watch stopped showing and that are being looked up. */
  default SortedSet<AttemptId> lookedUp() {
    return Collections.emptySortedSet();
  }

  /**
   * Makes term and mark the cluster's, unless it knows a higher one of either; asked before
   * anything is done there. Cheap when repeated.
   *
   * @param mark how far the database has come, as of the lease under which this is asked
   */
  TermClaim claim(long term, long mark);

  /**
   * How namespaces of projects are to be kept that differ from all others; replaces what was said
   * before. Carried out in the background while this process acts there; nothing where a cluster
   * has no namespaces.
   */
  default void plan(List<NamespacePlan> plans) {}

  /**
   * Removes the namespace of a project that is needed no more, if this installation made it for
   * that project and nothing of others is in it; looked at on the cluster immediately before. May
   * take as long as a few calls. Never throws for what a cluster does. Gone at once where a cluster
   * has no namespaces.
   */
  default RemovalOutcome remove(String namespace, ProjectId project) {
    return RemovalOutcome.GONE;
  }

  /**
   * Makes the claim of a volume whose claim has no identity yet, unless one of the volume's is
   * there, and looks at it otherwise: one whose identity is known is never made again. Never throws
   * for what a cluster does.
   */
  default VolumeOutcome provide(VolumeOrder order) {
    return new VolumeOutcome.Not(
        new ActionOutcome.Refused(
            ActionOutcome.Why.UNSUPPORTED, "this kind of cluster has no volumes"));
  }

  /**
   * Asks its autoscaler for nodes by one object that has the key of the request as its name, or
   * removes that object. Never throws for what a cluster does.
   */
  default SupplyAnswer supply(SupplyCall call) {
    return new SupplyAnswer.Unanswered("this kind of cluster has no autoscaler to ask");
  }

  /** Jobs of its own API that ask Fairlead to run them. */
  default FrontGateway front() {
    return FrontGateway.NONE;
  }

  /** The routes of model services. */
  default ServingGateway serving() {
    return ServingGateway.NONE;
  }

  /** Does the action, or says why not. Never throws for what a cluster does. */
  ActionOutcome apply(WorkloadAction action);

  /**
   * Marks a node unschedulable on its cluster, or takes our mark away; one that somebody else set
   * stays. Refused where we have no right to: the cordon then holds for us alone.
   */
  ActionOutcome keepOut(String node, boolean out);

  /**
   * Makes the node show these marks and no other ones of ours; one that somebody else put there
   * under the same name stays. Refused with {@code NAME_TAKEN} then, and otherwise where we have no
   * right to: pool and quarantine hold for us alone. Never throws for what a cluster does.
   */
  default ActionOutcome mark(String node, NodeMarks wanted) {
    return new ActionOutcome.Refused(
        ActionOutcome.Why.UNSUPPORTED, "this kind of cluster has no marks");
  }

  /**
   * Writes annotations of a node under {@link RepairNotes#PREFIX}, and reads all that it has of
   * them then. Never throws for what a cluster does.
   *
   * @param notes by name; null takes one away
   */
  default NodeNotes note(String node, SortedMap<String, @Nullable String> notes) {
    return new NodeNotes.Not("this kind of cluster has no annotations");
  }

  /**
   * Output of a member, as its cluster has it, in the order in which it was written. Each line
   * begins with its time and a blank.
   *
   * @throws IOException when there is none or the cluster does not answer; the message is for
   *     people
   */
  InputStream logs(LogRequest request) throws IOException;

  /**
   * A new token for the service account whose token this process uses there. It was tried: the
   * cluster has answered a call with it.
   *
   * @throws IOException when the cluster gives none, or refuses the one that it gave; the message
   *     is for people
   */
  default Secret newToken(AccountToken used) throws IOException {
    throw new IOException("this kind of cluster gives no tokens");
  }

  /** Runs the listener soon after something changed; at most one is kept. */
  void onChange(Runnable listener);

  @Override
  void close();
}
