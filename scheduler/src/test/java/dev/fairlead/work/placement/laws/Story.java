package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** A world as readable text: capacity, quotas and requests. */
final class Story {
  private final World world;
  private final List<String> lines = new ArrayList<>();

  private Story(World world) {
    this.world = world;
  }

  static String of(World world) {
    Story story = new Story(world);
    world.clusters().forEach(story::cluster);
    story.quotas();
    world.placeFailures().forEach(f -> story.lines.add("  " + f));
    world.live().forEach(story::running);
    world.pending().forEach(story::waiting);
    return String.join(System.lineSeparator(), story.lines);
  }

  private void cluster(Cluster c) {
    lines.add(
        "  cluster %s: %s, %s%s"
            .formatted(
                c.name(), c.state(), c.capacity(), c.capabilities().sharing() ? ", sharing" : ""));
    world.nodes().stream().filter(n -> n.cluster().equals(c.id())).forEach(this::node);
  }

  private void node(Node n) {
    long used = n.gpus().stream().mapToLong(Gpu::allocatedMilli).sum();
    lines.add(
        "    %s: %s, %d GPUs (%s used), free %s, %s %s"
            .formatted(
                n.name(),
                n.gpuModel(),
                n.gpus().size(),
                used / 1000.0,
                n.free(),
                n.state(),
                n.topology().values()));
  }

  private void quotas() {
    SortedSet<QuotaNodeId> mentioned = new TreeSet<>();
    world.pending().forEach(p -> mentioned.add(p.job().queue()));
    world.live().forEach(l -> mentioned.add(l.job().queue()));
    for (QuotaNode n : world.quotaNodes()) {
      if (mentioned.contains(n.id()) || !n.limits().isEmpty()) {
        lines.add("  %s %s%s".formatted(n.isQueue() ? "queue" : "group", n.name(), settings(n)));
        n.limits().forEach(l -> limit(n, l));
      }
    }
  }

  private String settings(QuotaNode n) {
    String parent =
        world.quotaNodes().stream()
            .filter(p -> p.id().equals(n.parent()))
            .map(p -> " below " + p.name())
            .findFirst()
            .orElse("");
    String queue = n.queue() == null ? "" : ", " + n.queue().order() + " " + n.queue().state();
    return parent + queue + ", weight " + n.weight() + ", " + n.preemption();
  }

  private void limit(QuotaNode n, QuotaLimit l) {
    long used =
        world.quotaUses().stream()
            .filter(u -> u.node().equals(n.id()))
            .filter(u -> u.cell().flavor().equals(l.flavor()))
            .filter(u -> u.cell().resource().equals(l.resource()))
            .mapToLong(QuotaUse::used)
            .sum();
    lines.add(
        "    %s %s: nominal %s, borrows %s, lends %s, used %d"
            .formatted(
                l.flavor().text(),
                l.resource(),
                l.nominal(),
                l.borrowingLimit() == null ? "any" : l.borrowingLimit(),
                l.lendingLimit() == null ? "all" : l.lendingLimit(),
                used));
  }

  private void running(World.LiveAttempt live) {
    List<String> on = live.attempt().members().stream().map(Member::nodeName).distinct().toList();
    lines.add("  running " + job(live.job().name(), live.job().spec()) + ", on " + on);
  }

  private void waiting(PendingJob p) {
    String elements = p.offers().size() == 1 ? "" : ", " + p.offers().size() + " elements";
    lines.add(
        "  job %s, in %s, priority %d, submitted %s%s"
            .formatted(
                job(p.job().name(), p.job().spec()),
                queue(p.job().queue()),
                p.job().priority(),
                p.job().createdAt(),
                elements));
  }

  private String queue(QuotaNodeId id) {
    return world.quotaNodes().stream()
        .filter(n -> n.id().equals(id))
        .map(QuotaNode::name)
        .findFirst()
        .orElse("no queue");
  }

  private static String job(String name, JobSpec spec) {
    String placement =
        spec.placement().equals(PlacementSpec.ANYWHERE) ? "" : ", " + spec.placement();
    return name
        + ": "
        + String.join(" and ", spec.roles().stream().map(Story::role).toList())
        + placement;
  }

  private static String role(RoleSpec r) {
    String members = r.minCount() == r.count() ? "" + r.count() : r.minCount() + ".." + r.count();
    String near = r.topology() == null ? "" : " " + r.topology();
    return "%s x (%s, %s cores, %d MiB)%s"
        .formatted(members, gpu(r.gpu()), r.cpuMilli() / 1000.0, r.memoryMiB(), near);
  }

  private static String gpu(GpuRequest g) {
    String models = g.models().isEmpty() ? "" : " " + String.join("/", g.models());
    return switch (g.kind()) {
      case NONE -> "no GPU";
      case WHOLE -> g.count() + " GPUs" + models;
      case FRACTION -> g.fractionMilli() / 1000.0 + " GPU" + models;
      case MEMORY -> g.memoryMiB() + " MiB of a GPU" + models;
      case MIG -> g.count() + " x " + g.migProfile() + models;
    };
  }
}
