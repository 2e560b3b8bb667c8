package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A gang starts as a whole, on one cluster, inside its required domains, in whole segments and with
 * the requested spread. Fails when GangPlacer does not undo a scope that held only some members,
 * and when Scope offers the cluster for a required level.
 */
final class WholeGangs implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    Map<JobId, Job> jobs = new TreeMap<>();
    world.pending().forEach(p -> jobs.put(p.job().id(), p.job()));
    Map<NodeId, Node> nodes = new TreeMap<>();
    world.nodes().forEach(n -> nodes.put(n.id(), n));
    Planned planned = Planned.of(world);
    Stream<Gang> started =
        planned.places().stream()
            .map(p -> new Gang(jobs.get(p.job()), p.cluster(), p.members(), true, nodes));
    Stream<Gang> grown = Elastic.grows(planned).stream().map(grow -> grown(world, grow, nodes));
    return Stream.concat(started, grown).flatMap(gang -> gang.broken().stream()).findFirst();
  }

  private static Gang grown(World world, Decision.Grow grow, Map<NodeId, Node> nodes) {
    World.LiveAttempt live =
        world.live().stream()
            .filter(l -> l.attempt().id().equals(grow.attempt()))
            .findFirst()
            .orElseThrow();
    List<Member> all = new ArrayList<>(live.attempt().members());
    all.addAll(grow.members());
    return new Gang(live.job(), live.attempt().cluster(), all, false, nodes);
  }

  /**
   * @param fresh whether its indexes start at 0 without a gap
   */
  private record Gang(
      Job job, ClusterId cluster, List<Member> all, boolean fresh, Map<NodeId, Node> nodes) {
    Optional<String> broken() {
      PlacementSpec wish = job.spec().placement();
      boolean apart = wish.spread() == null || spread(wish.spread(), all);
      if (!oneCluster() || !apart || !within(wish.topology(), all)) {
        return Optional.of(job.name() + " is torn apart or too close together");
      }
      return job.spec().roles().stream()
          .filter(role -> !whole(role, wish))
          .map(role -> "role " + role.name() + " of " + job.name() + " starts in part or misplaced")
          .findFirst();
    }

    private boolean oneCluster() {
      return all.stream().allMatch(m -> nodes.get(m.node()).cluster().equals(cluster));
    }

    private boolean whole(RoleSpec role, PlacementSpec wish) {
      List<Member> members = all.stream().filter(m -> m.role().equals(role.name())).toList();
      List<Integer> expected = IntStream.range(0, members.size()).boxed().toList();
      return members.size() >= role.minCount()
          && members.size() <= role.count()
          && (!fresh || members.stream().map(Member::index).toList().equals(expected))
          && within(role.topology(), members)
          && (wish.segment() == null || segments(wish.segment(), role, members));
    }

    private boolean within(@Nullable TopologySpec wish, List<Member> members) {
      return wish == null
          || wish.mode() != TopologySpec.Mode.REQUIRED
          || perDomain(wish.level(), members).size() <= 1;
    }

    private boolean segments(PlacementSpec.Segment segment, RoleSpec role, List<Member> members) {
      int size = Math.min(segment.size(), role.count());
      return perDomain(segment.level(), members).values().stream().allMatch(n -> n % size == 0);
    }

    private boolean spread(PlacementSpec.Spread spread, List<Member> members) {
      return perDomain(spread.level(), members).values().stream()
          .allMatch(n -> n <= spread.maxPerDomain());
    }

    /** Members by their path of domains down to a level. */
    private Map<String, Long> perDomain(String level, List<Member> members) {
      return members.stream()
          .collect(Collectors.groupingBy(m -> path(m, level), Collectors.counting()));
    }

    private String path(Member member, String level) {
      Node node = nodes.get(member.node());
      return Worlds.LEVELS.subList(0, Worlds.LEVELS.indexOf(level) + 1).stream()
          .map(l -> node.topology().get(l))
          .toList()
          .toString();
    }
  }
}
