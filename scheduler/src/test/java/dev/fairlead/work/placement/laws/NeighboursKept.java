package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * No job starts in the domain of a job that it avoids, or that avoids it, and each job with an
 * affinity starts near a job that runs or started before. Fails when NeighbourCounts.admits accepts
 * everything, or a placed gang is not recorded.
 */
final class NeighboursKept implements Law.Check {
  /** A job with the nodes of its members. */
  private record There(Job job, List<Node> nodes) {}

  @Override
  public Optional<String> broken(World world, Random random) {
    Map<NodeId, Node> nodes = new TreeMap<>();
    world.nodes().forEach(node -> nodes.put(node.id(), node));
    Map<JobId, Job> jobs = new TreeMap<>();
    world.pending().forEach(pending -> jobs.put(pending.job().id(), pending.job()));
    List<There> there = new ArrayList<>();
    world.live().forEach(l -> there.add(there(l.job(), l.attempt().members(), nodes)));
    for (Decision decision : Planned.of(world).plan().decisions()) {
      if (decision instanceof Decision.Place place) {
        There newcomer = there(jobs.get(place.job()), place.members(), nodes);
        Optional<String> broken = broken(world, newcomer, there);
        if (broken.isPresent()) {
          return broken;
        }
        there.add(newcomer);
      }
    }
    return Optional.empty();
  }

  private static There there(Job job, List<Member> members, Map<NodeId, Node> nodes) {
    return new There(
        job, members.stream().map(m -> nodes.get(m.node())).filter(n -> n != null).toList());
  }

  private static Optional<String> broken(World world, There newcomer, List<There> there) {
    Job job = newcomer.job;
    for (There other : there) {
      for (PlacementSpec.JobTerm term : job.spec().placement().away()) {
        if (matches(term, other.job, job) && meet(world, term, newcomer, other)) {
          return Optional.of(job.name() + " joins " + other.job.name() + " in spite of " + term);
        }
      }
      for (PlacementSpec.JobTerm term : other.job.spec().placement().away()) {
        if (matches(term, job, other.job) && meet(world, term, newcomer, other)) {
          return Optional.of(job.name() + " comes to " + other.job.name() + " that has " + term);
        }
      }
    }
    for (PlacementSpec.JobTerm term : job.spec().placement().near()) {
      List<There> matching = there.stream().filter(o -> matches(term, o.job, job)).toList();
      boolean first =
          matches(term, job, job)
              && matching.stream()
                  .allMatch(o -> o.nodes.stream().allMatch(n -> domain(world, term, n) == null));
      for (Node node : first ? List.<Node>of() : newcomer.nodes) {
        There alone = new There(job, List.of(node));
        if (matching.stream().noneMatch(other -> meet(world, term, alone, other))) {
          return Optional.of(job.name() + " is alone on " + node.name() + " in spite of " + term);
        }
      }
    }
    return Optional.empty();
  }

  private static boolean matches(PlacementSpec.JobTerm term, Job other, Job of) {
    return other.project().equals(of.project())
        && other.spec().labels().entrySet().containsAll(term.jobs().entrySet());
  }

  private static boolean meet(World world, PlacementSpec.JobTerm term, There one, There other) {
    return one.nodes.stream()
        .map(node -> domain(world, term, node))
        .anyMatch(
            d -> d != null && other.nodes.stream().anyMatch(n -> d.equals(domain(world, term, n))));
  }

  private static @Nullable List<String> domain(World world, PlacementSpec.JobTerm term, Node node) {
    List<String> domain = new ArrayList<>(List.of(node.cluster().text()));
    if (term.within().equals("cluster")) {
      return domain;
    }
    if (term.within().equals("host")) {
      domain.add(node.name());
      return domain;
    }
    Cluster cluster =
        world.clusters().stream()
            .filter(c -> c.id().equals(node.cluster()))
            .findFirst()
            .orElseThrow();
    for (String level : cluster.capabilities().topologyLevels()) {
      String name = node.topology().get(level);
      domain.add(name == null ? "" : name);
      if (level.equals(term.within())) {
        return name == null ? null : domain;
      }
    }
    return null;
  }
}
