package dev.fairlead.placement.ordering;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.placement.admission.Admission;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.routing.Windows;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All pending jobs, sorted into the lines of their queues; those behind a closed gate stand aside.
 */
public final class Lines {
  private final Admission admission;
  private final Gates gates;
  private final SortedMap<QuotaNodeId, QueueLine> lines = new TreeMap<>();
  private final List<Waiting> jobs = new ArrayList<>();
  private final List<KeptBack> keptBack = new ArrayList<>();
  private final Shapes shapes;

  /** A job that is not tried, and why. */
  public record KeptBack(Job job, EqualJobs equalJobs, List<Blocker> why) {}

  /** Of two rows of one job the newer counts; a job that offers nothing has nothing to wait for. */
  public Lines(
      Collection<PendingJob> pending,
      Collection<World.LiveAttempt> live,
      Admission admission,
      Fleet fleet,
      Instant asOf,
      KnownShapes before) {
    this.admission = admission;
    gates = new Gates(admission, asOf);
    shapes = new Shapes(fleet, asOf, new Windows(fleet, admission.tree(), asOf), before);
    for (PendingJob row : once(pending)) {
      if (!row.offers().isEmpty()) {
        add(row);
      }
    }
    for (World.LiveAttempt each : live) {
      QueueLine line = lines.get(each.job().queue());
      if (line != null) {
        line.runs(each);
      }
    }
    lines.values().forEach(QueueLine::sort);
  }

  /** By id. */
  private static List<PendingJob> once(Collection<PendingJob> pending) {
    List<PendingJob> sorted = new ArrayList<>(pending);
    sorted.sort(Comparator.comparing(row -> row.job().id()));
    List<PendingJob> once = new ArrayList<>(sorted.size());
    for (PendingJob row : sorted) {
      if (!once.isEmpty() && once.getLast().job().id().equals(row.job().id())) {
        once.set(once.size() - 1, newer(once.getLast(), row));
      } else {
        once.add(row);
      }
    }
    return once;
  }

  private static PendingJob newer(PendingJob a, PendingJob b) {
    Comparator<PendingJob> order =
        Comparator.comparingLong((PendingJob p) -> p.job().version())
            .thenComparing(PendingJob::toString);
    return order.compare(a, b) >= 0 ? a : b;
  }

  private void add(PendingJob row) {
    EqualJobs equalJobs = shapes.of(row.job());
    List<Blocker> closed = gates.closed(row);
    List<PendingJob.Offer> ready = closed.isEmpty() ? gates.ready(row) : List.of();
    Blocker backOff = gates.backOff(row).orElse(null);
    if (ready.isEmpty()) {
      if (backOff != null) {
        closed.add(backOff);
      }
      keptBack.add(new KeptBack(row.job(), equalJobs, closed));
      return;
    }
    Waiting waiting = new Waiting(row.job(), equalJobs, ready, backOff);
    jobs.add(waiting);
    lines
        .computeIfAbsent(
            row.job().queue(), q -> new QueueLine(admission.tree().node(q).orElseThrow()))
        .add(waiting);
  }

  /** By queue id. */
  public Collection<QueueLine> lines() {
    return lines.values();
  }

  /** The line in which the job stands. */
  public QueueLine lineOf(Waiting waiting) {
    QueueLine line = lines.get(waiting.job().queue());
    if (line == null) {
      throw new IllegalArgumentException("not in these lines: " + waiting.job().id().text());
    }
    return line;
  }

  /** The job as it waits here, null when it does not. */
  public @Nullable Waiting job(JobId id) {
    int low = 0;
    int high = jobs.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (jobs.get(middle).job().id().compareTo(id) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < jobs.size() && jobs.get(low).job().id().equals(id) ? jobs.get(low) : null;
  }

  /** For the next cycle. */
  public KnownShapes known() {
    return shapes.known();
  }

  /** By job id. */
  public List<KeptBack> keptBack() {
    return List.copyOf(keptBack);
  }
}
