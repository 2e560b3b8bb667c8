package dev.fairlead.placement.ordering;

import dev.fairlead.job.Job;
import dev.fairlead.placement.shape.JobShape;
import java.util.List;

/** Shapes of the jobs that waited in a cycle, for the next one. */
public final class KnownShapes {
  /** When there was no cycle before. */
  public static final KnownShapes NONE = new KnownShapes(List.of(), new int[0], List.of());

  /** Of a job whose shape changes with time. */
  static final int CHANGES = -1;

  private final List<Job> jobs;
  private final int[] shapeOf;
  private final List<JobShape> shapes;

  /**
   * @param jobs by id
   * @param shapeOf position of each job's shape, or {@link #CHANGES}
   * @param shapes each once
   */
  KnownShapes(List<Job> jobs, int[] shapeOf, List<JobShape> shapes) {
    this.jobs = jobs;
    this.shapeOf = shapeOf;
    this.shapes = shapes;
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
}
