package dev.fairlead.bench.timelapse;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether sharing costs anybody anything: the wait of a queue within its nominal quota, mean and
 * p99, is not above that in a private cluster of that size.
 */
final class Floors {
  private Floors() {}

  static List<String> of(Run run) {
    List<String> lines = new ArrayList<>();
    List<Run.Part> queues = run.queues().stream().filter(q -> q.jobs() > 0).toList();
    for (Run.Part part : queues) {
      double mean = part.meanWait() - part.privateMeanWait();
      long p99 = part.waits().at(99).toSeconds() - part.privateWaits().at(99).toSeconds();
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
        "  %d of %d queues wait no longer than in a private cluster of their size"
            .formatted(queues.size() - lines.size(), queues.size()));
    return lines;
  }
}
