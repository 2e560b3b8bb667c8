package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.job.service.submit.NewJob;
import dev.fairlead.work.spec.JobSpec;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * Another job that must meet a condition first.
 *
 * @param job name of a job of the project, or id of a job
 * @param condition required progress: STARTED, SUCCEEDED, FAILED, or ENDED in any way
 * @param perElement whether each element of the array waits only for the element of the same index
 *     of that job, an array with the same number of elements
 */
@Schema(name = "DependencyRequest")
record DependencyRequest(
    @JsonDeserialize(using = JobReader.class) String job,
    JobSpec.Dependency.@Nullable Condition condition,
    @Nullable Boolean perElement) {
  static final int MOST = 32;
  private static final int LONGEST_JOB = 64;

  /** The dependency on an id. Empty for the name of a job of the same project. */
  Optional<JobSpec.Dependency> byId() {
    return IdText.decode(IdKind.JOB, job)
        .map(id -> new JobSpec.Dependency(new JobId(id), required(), byElement()));
  }

  NewJob.Named byName(int index) {
    return new NewJob.Named(index, job, required(), byElement());
  }

  private JobSpec.Dependency.Condition required() {
    return Objects.requireNonNullElse(condition, JobSpec.Dependency.Condition.SUCCEEDED);
  }

  boolean byElement() {
    return Objects.requireNonNullElse(perElement, false);
  }

  private static Optional<String> job(Value value) {
    Optional<String> text = value.text(LONGEST_JOB);
    if (text.isEmpty()
        || IdText.decode(IdKind.JOB, text.get()).isPresent()
        || Names.isLabel(text.get(), JobSpecReader.LONGEST_NAME)) {
      return text;
    }
    return value.bad(
        "must be the name of a job of this project, or a job's id (job_ and 26 characters), not "
            + value.shown(),
        null);
  }

  /** Reads the name of a job of the project, or the id of a job. */
  static final class JobReader extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return job(value);
    }
  }

  /** Reads jobs, or objects with their conditions. */
  static final class Reader extends FieldReader<List<DependencyRequest>> {
    @Override
    protected Optional<List<DependencyRequest>> read(Value value) {
      return Optional.of(value.items(MOST).stream().flatMap(item -> one(item).stream()).toList());
    }

    private static Optional<DependencyRequest> one(Value value) {
      return value.isText()
          ? DependencyRequest.job(value).map(job -> new DependencyRequest(job, null, null))
          : BodyBinder.part(value, DependencyRequest.class);
    }
  }
}
