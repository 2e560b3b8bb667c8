package dev.fairlead.work.job.service.submit;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A job to be submitted.
 *
 * @param spec complete except for an empty {@code queue} (the project's default), an empty {@code
 *     name} (one is generated) and the dependencies in {@code named}
 * @param named dependencies that name their job, in the order of their index
 * @param refused refusal by a limit of its project, null when the job is allowed. A repeated
 *     request gets the first response, regardless of the current limit
 */
public record NewJob(JobSpec spec, List<Named> named, @Nullable Refusal refused) {
  /**
   * A dependency on a job of the same project.
   *
   * @param index its index in {@code dependsOn}
   * @param perElement like {@link Dependency#perElement}
   */
  public record Named(int index, String name, Condition condition, boolean perElement) {
    public Named(int index, String name, Condition condition) {
      this(index, name, condition, false);
    }
  }

  public NewJob {
    named = List.copyOf(named);
  }

  /** A copy with one more annotation. */
  public NewJob annotated(String key, String value) {
    return new NewJob(spec.annotated(key, value), named, refused);
  }

  /** Returns the job with these labels in addition. */
  public NewJob labelled(SortedMap<String, String> more) {
    SortedMap<String, String> labels = new TreeMap<>(spec.labels());
    labels.putAll(more);
    return new NewJob(spec.labelled(labels), named, refused);
  }

  public NewJob(JobSpec spec) {
    this(spec, List.of(), null);
  }
}
