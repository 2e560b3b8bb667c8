package dev.fairlead.work.job.memory;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.GpuHolder;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The GPUs that members of an attempt hold. */
final class GpuHolders {
  static final Comparator<GpuHolder> ORDER =
      Comparator.comparing(GpuHolder::node)
          .thenComparing(GpuHolder::gpu)
          .thenComparing(GpuHolder::attempt)
          .thenComparing(GpuHolder::member);

  private GpuHolders() {}

  static List<GpuHolder> of(Job job, Attempt attempt, Collection<NodeId> nodes) {
    List<GpuHolder> holders = new ArrayList<>();
    for (Member m : attempt.members()) {
      if (nodes.contains(m.node())) {
        m.gpus()
            .forEach(share ->
                holders.add(
                    new GpuHolder(
                        m.node(),
                        share.index(),
                        share.milli(),
                        job.id(),
                        job.name(),
                        attempt.id(),
                        m.key())));
      }
    }
    return holders;
  }
}
