package dev.fairlead.work.job.memory;

import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.Counters;
import dev.fairlead.fleet.quota.QuotaMiscount;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.fleet.quota.memory.MemoryQuotaStore;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** In-memory implementation of {@link Counters}. */
public final class MemoryCounters implements Counters {
  private final MemoryDatabase database;
  private final MemoryJobStore jobs;
  private final MemoryInventoryStore inventory;
  private final MemoryQuotaStore quotas;

  public MemoryCounters(
      MemoryDatabase database,
      MemoryJobStore jobs,
      MemoryInventoryStore inventory,
      MemoryQuotaStore quotas) {
    this.database = database;
    this.jobs = jobs;
    this.inventory = inventory;
    this.quotas = quotas;
  }

  @Override
  public List<Drift> compare() {
    return database.read(() -> {
      List<Drift> drifts = new ArrayList<>();
      quota(drifts);
      inventory.nodes(null).forEach(node -> node(node, drifts));
      return drifts;
    });
  }

  @Override
  public List<Drift> repair(Collection<Drift> found) {
    return database.call(() -> {
      List<Drift> still = compare().stream().filter(found::contains).toList();
      if (still.stream().anyMatch(d -> d.kind() == Kind.QUOTA)) {
        quotas.recount(charged());
      }
      for (Node node : inventory.nodes(null)) {
        if (still.stream().anyMatch(d -> d.subject().equals(node.id().value()))) {
          inventory.recount(node.id(), members(node));
        }
      }
      return still;
    });
  }

  private List<QuotaUse> charged() {
    List<QuotaUse> charged = new ArrayList<>();
    for (Attempt attempt : jobs.live()) {
      Job job = jobs.findAll(List.of(attempt.job())).getFirst();
      boolean nonPreemptible = job.spec().nonPreemptible();
      attempt
          .charges()
          .forEach((cell, amount) ->
              charged.add(new QuotaUse(job.queue(), cell, amount, nonPreemptible ? amount : 0)));
    }
    return charged;
  }

  private void quota(List<Drift> drifts) {
    QuotaTree tree = new QuotaTree(quotas.allNodes(), List.of());
    charged().forEach(tree::add);
    QuotaMiscount.between(quotas.allUses(), tree.uses())
        .forEach(wrong -> drifts.addAll(wrong.drifts()));
  }

  private List<Member> members(Node node) {
    return jobs.live().stream()
        .flatMap(attempt -> attempt.members().stream())
        .filter(member -> member.node().equals(node.id()))
        .toList();
  }

  private void node(Node node, List<Drift> drifts) {
    ResourceVector held = ResourceVector.ZERO;
    SortedMap<Integer, Long> shares = new TreeMap<>();
    SortedMap<Integer, Integer> slices = new TreeMap<>();
    for (Member member : members(node)) {
      held = held.plus(member.request());
      for (GpuShare share : member.gpus()) {
        shares.merge(share.index(), (long) share.milli(), Long::sum);
        slices.merge(share.index(), share.slices(), (a, b) -> a | b);
      }
    }
    ResourceVector counted = node.allocated();
    add(drifts, Kind.NODE, node, "cpu", counted.cpuMilli(), held.cpuMilli());
    add(drifts, Kind.NODE, node, "memory", counted.memoryMiB(), held.memoryMiB());
    add(drifts, Kind.NODE, node, "gpu", counted.gpuMilli(), held.gpuMilli());
    add(drifts, Kind.NODE, node, "pods", counted.pods(), held.pods());
    boolean same = counted.extended().equals(held.extended());
    add(drifts, Kind.NODE, node, "extended", same ? 0 : 1, 0);
    for (Gpu gpu : node.gpus()) {
      long share = shares.getOrDefault(gpu.index(), 0L);
      add(drifts, Kind.GPU, node, "gpu " + gpu.index(), gpu.allocatedMilli(), share);
      int cut = slices.getOrDefault(gpu.index(), 0);
      add(drifts, Kind.GPU, node, "slices of gpu " + gpu.index(), gpu.slices(), cut);
    }
  }

  private static void add(
      List<Drift> drifts, Kind kind, Node node, String counter, long counted, long held) {
    if (counted != held) {
      drifts.add(new Drift(kind, node.id().value(), counter, counted, held));
    }
  }
}
