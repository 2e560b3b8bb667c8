package dev.fairlead.work.job.web.spi;

import dev.fairlead.kernel.body.Value;
import dev.fairlead.people.tenant.Actor;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.UnaryOperator;

/** Fills jobs that name a template. */
public interface JobTemplates {
  /** Field of a job that names its template. */
  String FIELD = "template";

  /** The templates of one request to a project. Each is read once. */
  Request request(Actor actor, String project);

  /** The templates of one request. */
  interface Request {
    /**
     * Fills a job that has {@link JobTemplates#FIELD}.
     *
     * @return empty when a problem was noted
     * @throws dev.fairlead.kernel.problem.Refusal NOT_FOUND for a template that the project does
     *     not have
     */
    Optional<Filled> fill(Value body);
  }

  /**
   * A filled job.
   *
   * @param body the template with the other fields of the submit applied
   * @param labels name and version of the template
   * @param origin returns for the pointer of a field its template, or an empty text if the submit
   *     set the field
   */
  record Filled(Value body, SortedMap<String, String> labels, UnaryOperator<String> origin) {}
}
