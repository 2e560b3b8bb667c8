package dev.fairlead.work.placement.ordering;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.NeighbourTerm;
import java.util.List;

/** Shapes and order of the jobs that waited in a cycle, for the next cycle. */
public final class PendingJobCache {
  /** The cache before the first cycle. */
  public static final PendingJobCache NONE =
      new PendingJobCache(List.of(), new int[0], List.of(), new int[0], List.of());

  /**
   * Marks a job whose shape was not computed or changes over time for reasons other than tiers and
   * windows.
   */
  static final int UNKNOWN = -1;

  private final List<Job> jobs;
  private final int[] shapeOf;
  private final List<JobShape> shapes;
  private final int[] order;
  private final List<NeighbourTerm> terms;

  /**
   * @param jobs by id
   * @param shapeOf position of each job's shape, or {@link #UNKNOWN}
   * @param shapes each once
   * @param order positions of the jobs in the order of {@link PendingJobEntry#ORDER}
   * @param terms by which the shapes were compared with other jobs
   */
  PendingJobCache(
      List<Job> jobs,
      int[] shapeOf,
      List<JobShape> shapes,
      int[] order,
      List<NeighbourTerm> terms) {
    this.terms = terms;
    this.jobs = jobs;
    this.shapeOf = shapeOf;
    this.shapes = shapes;
    this.order = order;
  }

  List<Job> jobs() {
    return jobs;
  }

  int shapeOf(int job) {
    return shapeOf[job];
  }

  List<JobShape> shapes() {
    return shapes;
  }

  List<NeighbourTerm> terms() {
    return terms;
  }

  int[] order() {
    return order;
  }
}
