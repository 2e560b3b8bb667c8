package dev.fairlead.placement.ordering;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobId;
import dev.fairlead.placement.admission.Admission;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.shape.JobShape;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All pending jobs, sorted into the lines of their queues; those behind a closed gate stand aside.
 */
public final class Lines {
  private final Admission admission;
  private final Fleet fleet;
  private final Instant asOf;
  private final Gates gates;
  private final SortedMap<QuotaNodeId, QueueLine> lines = new TreeMap<>();
  private final SortedMap<JobId, Waiting> jobs = new TreeMap<>();
  private final List<KeptBack> keptBack = new ArrayList<>();
  private final Map<JobShape, EqualJobs> shapes = new LinkedHashMap<>();

  /** A job that is not tried, and why. */
  public record KeptBack(Job job, EqualJobs equalJobs, List<Blocker> why) {}

  /** Of two rows of one job the newer counts; a job that offers nothing has nothing to wait for. */
  public Lines(
      Collection<PendingJob> pending,
      Collection<World.LiveAttempt> live,
      Admission admission,
      Fleet fleet,
      Instant asOf) {
    this.admission = admission;
    this.fleet = fleet;
    this.asOf = asOf;
    gates = new Gates(admission, asOf);
    SortedMap<JobId, PendingJob> once = new TreeMap<>();
    for (PendingJob row : pending) {
      once.merge(row.job().id(), row, Lines::newer);
    }
    for (PendingJob row : once.values()) {
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

  private static PendingJob newer(PendingJob a, PendingJob b) {
    Comparator<PendingJob> order =
        Comparator.comparingLong((PendingJob p) -> p.job().version())
            .thenComparing(PendingJob::toString);
    return order.compare(a, b) >= 0 ? a : b;
  }

  private void add(PendingJob row) {
    EqualJobs equalJobs =
        shapes.computeIfAbsent(JobShape.of(row.job(), asOf), s -> new EqualJobs(s, fleet));
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
    jobs.put(row.job().id(), waiting);
    QuotaNode queue = admission.tree().node(row.job().queue()).orElseThrow();
    lines.computeIfAbsent(queue.id(), q -> new QueueLine(queue)).add(waiting);
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
    return jobs.get(id);
  }

  /** By job id. */
  public List<KeptBack> keptBack() {
    return List.copyOf(keptBack);
  }
}
