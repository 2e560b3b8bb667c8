package dev.fairlead.verify.engine.timelapse;

import dev.fairlead.verify.engine.timelapse.trace.Sharing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Checks that sharing delays no queue: the mean and p99 wait of a queue within its nominal quota do
 * not exceed its waits in a private cluster of that size. With reclaimed quota the time of an
 * eviction and of a plan is added.
 */
final class Floors {
  private Floors() {}

  static List<String> of(Run run) {
    List<String> lines = new ArrayList<>();
    List<Run.Part> queues = run.queues().stream().filter(q -> q.jobs() > 0).toList();
    long more = run.sharing() == Sharing.RECLAIM ? Timelapse.EVICTION + run.tick() : 0;
    for (Run.Part part : queues) {
      double mean = part.meanWait() - part.privateMeanWait() - more;
      long p99 = part.waits().at(99).toSeconds() - part.privateWaits().at(99).toSeconds() - more;
      if (mean > 0 || p99 > 0) {
        lines.add(
            String.format(
                Locale.ROOT,
                "  %s waits longer than in a private cluster: mean %+.1f s, p99 %+d s",
                part.queue(),
                mean,
                p99));
      }
    }
    lines.addFirst(
        "  %d of %d queues wait no longer than in a private cluster of their size%s"
            .formatted(
                queues.size() - lines.size(),
                queues.size(),
                more == 0 ? "" : " and the " + more + " s of an eviction"));
    return lines;
  }
}
