package dev.fairlead.placement.ordering;

import dev.fairlead.job.Job;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.routing.Windows;
import dev.fairlead.placement.shape.JobShape;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts jobs of one shape together. The shape of a job that is the same object as in the last cycle
 * is taken from there, since a row never changes.
 */
final class Shapes {
  private final Fleet fleet;
  private final Instant asOf;
  private final Windows windows;
  private final KnownShapes before;
  private final @Nullable EqualJobs[] carried;
  private int at;
  private final Map<JobShape, EqualJobs> equal = new LinkedHashMap<>();
  private final List<Job> jobs = new ArrayList<>();
  private final List<EqualJobs> of = new ArrayList<>();

  Shapes(Fleet fleet, Instant asOf, Windows windows, KnownShapes before) {
    this.fleet = fleet;
    this.asOf = asOf;
    this.windows = windows;
    this.before = before;
    carried = new EqualJobs[before.shapes().size()];
  }

  /** Those that a job belongs to; asked by ascending id. */
  EqualJobs of(Job job) {
    int shape = windows.any() ? KnownShapes.CHANGES : before(job);
    EqualJobs known = shape < 0 ? null : carried[shape];
    if (known == null) {
      known =
          equal(
              shape < 0
                  ? JobShape.of(job, asOf, windows.closedTo(job))
                  : before.shapes().get(shape));
      if (shape >= 0) {
        carried[shape] = known;
      }
    }
    jobs.add(job);
    of.add(known);
    return known;
  }

  private EqualJobs equal(JobShape shape) {
    return equal.computeIfAbsent(shape, s -> new EqualJobs(s, fleet, equal.size()));
  }

  @SuppressWarnings("ReferenceEquality") // one look instead of a comparison of whole specs
  private int before(Job job) {
    List<Job> known = before.jobs();
    while (at < known.size() && known.get(at).id().compareTo(job.id()) < 0) {
      at++;
    }
    return at < known.size() && known.get(at) == job ? before.shapeOf(at) : KnownShapes.CHANGES;
  }

  /** For the next cycle. */
  KnownShapes known() {
    int[] shapeOf = new int[jobs.size()];
    for (int i = 0; i < shapeOf.length; i++) {
      boolean lasts = !windows.any() && jobs.get(i).spec().placement().waits().isEmpty();
      shapeOf[i] = lasts ? of.get(i).number() : KnownShapes.CHANGES;
    }
    return new KnownShapes(jobs, shapeOf, List.copyOf(equal.keySet()));
  }
}
