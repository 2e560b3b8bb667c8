package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.List;

/** Refusals of changes of model services. */
final class ServiceRefusals {
  private ServiceRefusals() {}

  static Refusal missing(ModelServices.Name name, int version) {
    return new Refusal(
        ProblemCode.NOT_FOUND,
        "Service \"%s\" has no version %d. GET /api/v1/projects/%s/services/%s/versions lists them."
            .formatted(name.service(), version, name.project(), name.service()));
  }

  static Refusal taken(String route) {
    String text = "Route \"%s\" belongs to another service.".formatted(route);
    return new Refusal(
        ProblemCode.NAME_IN_USE,
        text,
        List.of(new FieldProblem("/route", ProblemCode.NAME_IN_USE, text, null)));
  }

  static Refusal mismatch(ModelServices.Name name) {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "Service \"%s\" was changed since it was read. Read it again and repeat."
            .formatted(name.service()));
  }
}
