package dev.fairlead.work.workload;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.operation.DrainScope;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.MemberKey;
import dev.fairlead.work.job.JobState;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * What is known at the moment of judging an attempt.
 *
 * @param nodes the cluster's nodes by name, as a watch shows them
 * @param asked those of {@link AttemptJudge#nodesToAsk} as the cluster told them after everything
 *     else here was seen; only they prove anything
 * @param silent whether the cluster cannot be seen, so that the observation is old
 * @param unanswered members of which the cluster has still to say what became of their pods, which
 *     it does not show, each with the time since when it is asked: that one of them cannot be seen
 *     proves nothing, and says nothing
 * @param absent members whose name was read as free after all creates were resolved
 * @param wanted state of the job or element: CANCELLING and SUSPENDED stop the attempt
 * @param drained what of the cluster is being emptied
 * @param isolated what of the cluster is out of order
 * @param certainlyOver whether {@link Unreachable#givenUpAfter} has passed since all members ran,
 *     by a clock that does not step
 * @param doubted whether so many attempts vanished together that another API server may answer: a
 *     missing pod and another boot of its node then prove no death
 * @param clock the database's clock: from it the deadlines of new orders are counted
 * @param now the same without its steps, to be compared with what is stored for the attempt
 */
public record Observations(
    ObservedWorkload observed,
    Map<String, NodeReport> nodes,
    Map<String, NodeReport> asked,
    boolean silent,
    SortedMap<MemberKey, Instant> unanswered,
    SortedSet<MemberKey> absent,
    JobState wanted,
    DrainScope drained,
    Isolated isolated,
    boolean certainlyOver,
    boolean doubted,
    WorkloadTimeouts timeouts,
    Instant clock,
    Instant now) {
  boolean awaits(Member member) {
    return unanswered.containsKey(MemberKey.of(member));
  }
}
