package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
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

  static Refusal full(ModelServices.Name name) {
    return new Refusal(
        ProblemCode.LIMIT_EXCEEDED,
        "Project \"%s\" has %d services, the maximum. Delete one first."
            .formatted(name.project(), ModelService.MOST));
  }

  static Refusal tooManyVersions(ModelService service) {
    return new Refusal(
        ProblemCode.LIMIT_EXCEEDED,
        "Service \"%s\" has %d versions, the maximum. Delete old versions first."
            .formatted(service.name(), ServiceVersion.MOST));
  }

  static Refusal deleting(ModelService service, ServiceState state) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Service \"%s\" is being deleted: %d of its replicas have not ended."
            .formatted(service.name(), state.replicas().size()));
  }

  static Refusal used(ModelServices.Name name, int version, boolean serves) {
    return new Refusal(
        ProblemCode.ILLEGAL_STATE,
        "Version %d of service \"%s\" %s."
            .formatted(
                version,
                name.service(),
                serves
                    ? "serves or has replicas. Roll back to another version first"
                    : "is the newest. Apply another version first"));
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
