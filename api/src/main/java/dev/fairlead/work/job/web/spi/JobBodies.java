package dev.fairlead.work.job.web.spi;

import dev.fairlead.kernel.body.BodyReader;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.spec.JobSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SortedSet;

/** Reads job specs that are nested in other request bodies. */
public interface JobBodies {
  /**
   * Returns the spec as a submit to the project reads it. Empty if a problem was reported.
   *
   * @throws dev.fairlead.kernel.problem.Refusal if it is larger than the project allows
   */
  Optional<JobSpec> read(Actor actor, String project, Value body);

  /**
   * Like {@link #read}, and fills the template that the body names. Reports a problem for
   * dependencies by name, which only a submit resolves.
   *
   * @throws dev.fairlead.kernel.problem.Refusal also NOT_FOUND for the template
   */
  Optional<JobSpec> filled(Actor actor, String project, Value body);

  /**
   * Like {@link #filled}, for a stored JSON text.
   *
   * @throws dev.fairlead.kernel.problem.Refusal also with the problems of its fields
   */
  default JobSpec stored(Actor actor, String project, String json) {
    FieldProblems problems = new FieldProblems();
    try {
      Value body =
          BodyReader.json(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)))
              .value(problems);
      Optional<JobSpec> spec = filled(actor, project, body);
      problems.refuse();
      return spec.orElseThrow();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /**
   * Reads a spec of no project, without the limits of projects. Problems go to the list of the
   * value.
   */
  void check(Value body);

  /**
   * Refuses a dependsOn that is not empty. The spec of {@link #read} lacks dependencies by name,
   * which only a submit resolves.
   *
   * @param why reason for the refusal, without a full stop
   */
  static void refuseDependsOn(Value body, String why) {
    if (body.isObject()) {
      body.fields()
          .flatMap(fields -> fields.get("dependsOn"))
          .filter(given -> !given.isList() || !given.items(Integer.MAX_VALUE).isEmpty())
          .ifPresent(given ->
              given.refuse(
                  ProblemCode.INVALID_FIELD, "The job must have no dependsOn: " + why, null));
    }
  }

  /** Names of the fields of a spec. */
  SortedSet<String> fields();
}
