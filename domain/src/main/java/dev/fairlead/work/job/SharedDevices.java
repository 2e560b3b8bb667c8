package dev.fairlead.work.job;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.HeldDevice;
import dev.fairlead.work.attempt.Member;
import dev.fairlead.work.attempt.MemberDevices;
import dev.fairlead.work.event.Fact;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Finds members that hold a whole device which, by the reports, another member holds too. One of
 * the reports is wrong. Pure.
 */
public final class SharedDevices {
  private SharedDevices() {}

  /**
   * Adds a fact for each such member whose devices are new. Nothing is read if no devices are new.
   *
   * @param before the attempts as stored before these steps
   * @param onGpusOf live attempts on the GPUs of nodes
   */
  public static List<Transition> marked(
      List<Transition> steps,
      Map<AttemptId, Attempt> before,
      Function<Collection<NodeId>, List<Attempt>> onGpusOf) {
    SortedMap<AttemptId, List<Member>> reported = new TreeMap<>();
    Set<NodeId> nodes = new TreeSet<>();
    for (Transition step : steps) {
      Attempt attempt = step.attempt();
      Attempt stored = attempt == null ? null : before.get(attempt.id());
      if (attempt != null && stored != null && attempt.live()) {
        List<Member> members = reported(stored, attempt);
        members.forEach(member -> nodes.add(member.node()));
        reported.put(attempt.id(), members);
      }
    }
    if (nodes.isEmpty()) {
      return steps;
    }
    SortedMap<AttemptId, Attempt> there = new TreeMap<>();
    onGpusOf.apply(nodes).forEach(attempt -> there.put(attempt.id(), attempt));
    for (Transition step : steps) {
      Attempt attempt = step.attempt();
      if (attempt != null) {
        there.put(attempt.id(), attempt);
      }
    }
    SortedMap<String, Integer> holders = holders(there.values());
    List<Transition> marked = new ArrayList<>();
    for (Transition step : steps) {
      Attempt attempt = step.attempt();
      List<Fact> facts = new ArrayList<>(step.facts());
      if (attempt != null) {
        reported
            .getOrDefault(attempt.id(), List.of())
            .forEach(member -> facts.addAll(facts(member, holders)));
      }
      marked.add(
          new Transition(
              step.job(), step.elements(), attempt, step.holding(), facts, step.actor()));
    }
    return marked;
  }

  private static List<Member> reported(Attempt before, Attempt after) {
    SortedMap<String, MemberDevices> stored = new TreeMap<>();
    before.members().forEach(member -> stored.put(member.key(), member.devices()));
    return after.members().stream()
        .filter(m -> !m.dead() && !m.devices().equals(stored.get(m.key())))
        .filter(m -> devices(m).stream().anyMatch(device -> !device.part()))
        .toList();
  }

  private static SortedMap<String, Integer> holders(Collection<Attempt> attempts) {
    SortedMap<String, Integer> holders = new TreeMap<>();
    for (Attempt attempt : attempts) {
      if (attempt.live()) {
        attempt.members().stream()
            .filter(member -> !member.dead())
            .forEach(member ->
                devices(member).forEach(d -> holders.merge(place(member, d), 1, Integer::sum)));
      }
    }
    return holders;
  }

  private static List<Fact> facts(Member member, Map<String, Integer> holders) {
    return devices(member).stream()
        .filter(device -> !device.part() && holders.getOrDefault(place(member, device), 0) > 1)
        .map(device ->
            Fact.of(EventTypes.DEVICES_DISPUTED)
                .with("member", member.key())
                .with("node", member.nodeName())
                .with("devices", device.gpu() + ", which another member of the node holds too"))
        .toList();
  }

  private static String place(Member member, HeldDevice device) {
    return member.node().text() + " " + device.gpu();
  }

  private static List<HeldDevice> devices(Member member) {
    return member.devices().trusted().map(MemberDevices.Report::devices).orElse(List.of());
  }
}
