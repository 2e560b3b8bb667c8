package dev.fairlead.work.placement.ordering;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.shape.JobShape;
import java.util.List;

/** Shapes and order of the jobs that waited in a cycle, for the next one. */
public final class PendingJobCache {
  /** When there was no cycle before. */
  public static final PendingJobCache NONE =
      new PendingJobCache(List.of(), new int[0], List.of(), new int[0]);

  /** Of a job whose shape changes with time, beyond tiers and windows, or was not asked for. */
  static final int UNKNOWN = -1;

  private final List<Job> jobs;
  private final int[] shapeOf;
  private final List<JobShape> shapes;
  private final int[] order;

  /**
   * @param jobs by id
   * @param shapeOf position of each job's shape, or {@link #UNKNOWN}
   * @param shapes each once
   * @param order positions of the jobs in the order of {@link PendingJobEntry#ORDER}
   */
  PendingJobCache(List<Job> jobs, int[] shapeOf, List<JobShape> shapes, int[] order) {
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

  int[] order() {
    return order;
  }
}
