package dev.fairlead.work.job.estimate;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Dimensions by which run times are expected to be similar.
 *
 * @param image image of the first role
 * @param shape GPUs of each role, as text
 */
public record RunGroup(ProjectId project, String user, String image, String shape) {
  /** Common values of two runs, the narrowest first. */
  public enum Level {
    /** User, project, image and shape. */
    IMAGE,
    /** Project and shape. */
    PROJECT,
    /** Shape alone. */
    SHAPE,
    /** Nothing. */
    ALL
  }

  public static RunGroup of(Job job) {
    return of(job.project(), job.user(), job.spec());
  }

  public static RunGroup of(ProjectId project, String user, JobSpec spec) {
    String shape = spec.roles().stream().map(RunGroup::shape).collect(Collectors.joining("+"));
    return new RunGroup(project, user, spec.roles().getFirst().image(), shape);
  }

  private static String shape(RoleSpec role) {
    return role.count() + "x" + role.gpu();
  }

  /** Common key of runs at that level. */
  List<String> key(Level level) {
    return switch (level) {
      case IMAGE -> List.of(project.value().toString(), user, image, shape);
      case PROJECT -> List.of(project.value().toString(), shape);
      case SHAPE -> List.of(shape);
      case ALL -> List.of();
    };
  }
}
