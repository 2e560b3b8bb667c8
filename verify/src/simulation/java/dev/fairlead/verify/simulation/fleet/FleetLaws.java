package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The invariants of a fleet that breaks after every pass that changed anything. */
public final class FleetLaws {
  private final Map<AttemptId, Integer> known = new HashMap<>();
  private final Map<AttemptId, Integer> sizes = new HashMap<>();
  private final Map<String, Pod> pods = new HashMap<>();

  private record Pod(AttemptId attempt, Index index) {}

  private record Index(JobId job, String role, int index) {}

  /**
   * @param live attempts that hold anything
   * @param quarantined nodes that were quarantined before the pass and still are
   * @param gpus devices that were quarantined individually before the pass and still are
   * @param processes names of the pods whose process runs
   * @throws InvariantBroken when one does not hold
   */
  void check(
      List<Attempt> live, Set<NodeId> quarantined, Set<String> gpus, Collection<String> processes) {
    Set<String> held = new HashSet<>();
    for (Attempt attempt : live) {
      placed(attempt, quarantined, gpus);
      attempt.members().forEach(m -> held.add(ObjectNames.pod(attempt.id(), MemberKey.of(m))));
    }
    Map<Index, String> running = new HashMap<>();
    Map<AttemptId, Integer> many = new HashMap<>();
    for (String name : processes) {
      Pod pod = pods.get(name);
      if (pod == null || !held.contains(name)) {
        throw new InvariantBroken(Invariant.DEAD_IS_DEAD, name + " runs and holds nothing");
      }
      String other = running.put(pod.index(), name);
      if (other != null) {
        throw new InvariantBroken(Invariant.ONE_RUNNING_POD_SET, name + " runs beside " + other);
      }
      int now = many.merge(pod.attempt(), 1, Integer::sum);
      if (now > sizes.getOrDefault(pod.attempt(), 0)) {
        throw new InvariantBroken(
            Invariant.GANG_WHOLE_OR_NOT, name + " runs together with the attempt it replaces");
      }
    }
  }

  /** No new member is on a quarantined node or GPU, and each has a distinct index. */
  private void placed(Attempt attempt, Set<NodeId> quarantined, Set<String> gpus) {
    List<Member> every = attempt.everyMember();
    if (every.size() == known.getOrDefault(attempt.id(), 0)) {
      return;
    }
    Set<Index> indexes = new HashSet<>();
    for (Member member : every) {
      Index index = new Index(attempt.job(), member.role(), member.index());
      if (!indexes.add(index)) {
        throw new InvariantBroken(
            Invariant.ONE_RUNNING_POD_SET, member.key() + " twice in " + attempt);
      }
      String name = ObjectNames.pod(attempt.id(), MemberKey.of(member));
      boolean fresh = pods.put(name, new Pod(attempt.id(), index)) == null;
      if (fresh && quarantined.contains(member.node())) {
        throw new InvariantBroken(
            Invariant.QUARANTINE_HOLDS, name + " comes to " + member.nodeName());
      }
      if (fresh && member.gpus().stream().anyMatch(gpu -> gpus.contains(gpu.serial()))) {
        throw new InvariantBroken(
            Invariant.QUARANTINED_GPU_IS_IDLE, name + " comes to " + member.gpus());
      }
    }
    known.put(attempt.id(), every.size());
    sizes.putIfAbsent(attempt.id(), every.size());
  }
}
