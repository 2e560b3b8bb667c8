package dev.fairlead.work.workload.judgement;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.operation.DrainScope;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.JobState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * Facts known when an attempt is judged.
 *
 * @param nodes the cluster's nodes by name, as a watch shows them
 * @param asked nodes of {@link AttemptJudge#nodesToAsk} as reported by the cluster after all other
 *     observations Only they prove anything
 * @param silent whether the cluster cannot be seen, so that the observation is old
 * @param unanswered members missing from the cluster's list without a response about their pods,
 *     each with the time of the first query: their absence proves nothing
 * @param absent members with a free name after all creates were resolved
 * @param wanted state of the job or element: CANCELLING and SUSPENDED stop the attempt
 * @param faults number of faults in a row that ended earlier attempts of the job or element
 * @param drained parts of the cluster that are being drained
 * @param isolated open faults of the cluster
 * @param certainlyOver whether {@link UnreachableMembers#givenUpAfter} has passed since all members
 *     ran, by a clock that does not step
 * @param doubted whether so many attempts disappeared together that another API server may answer:
 *     a missing pod and another boot of its node then prove no death
 * @param pluginDoubted whether GPUs of so many nodes are unhealthy together that a device plugin
 *     may be wrong
 * @param clock database time, the base of new deadlines
 * @param now the same without its steps, for comparison with the stored times of the attempt
 */
@RecordBuilder
public record Observations(
    ObservedWorkload observed,
    Map<String, NodeReport> nodes,
    Map<String, NodeReport> asked,
    boolean silent,
    SortedMap<MemberKey, Instant> unanswered,
    SortedSet<MemberKey> absent,
    JobState wanted,
    int faults,
    DrainScope drained,
    OpenFaults isolated,
    boolean certainlyOver,
    boolean doubted,
    boolean pluginDoubted,
    WorkloadTimeouts timeouts,
    Instant clock,
    Instant now) {
  boolean awaits(Member member) {
    return unanswered.containsKey(MemberKey.of(member));
  }
}
