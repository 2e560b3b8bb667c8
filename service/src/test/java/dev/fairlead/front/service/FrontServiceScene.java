package dev.fairlead.front.service;

import dev.fairlead.e2e.ServiceParts;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.ServiceStatus;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.ModelServiceView;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.OwnedServices;
import dev.fairlead.work.serving.service.ReplicaWatch;
import dev.fairlead.work.serving.service.ServingLoop;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;

/** ModelServices on the front, served by the pool. A spec is the program of the replicas. */
abstract class FrontServiceScene extends FrontHarness {
  static final String CHAT = "5a0f0d9e-3c55-4f0e-8a43-1f2b3c4d5e6f";
  final ReplicaWatch watch = ServiceParts.replicas(stores);
  final ModelServices rest = ServiceParts.models(fairlead, watch);
  final ServingLoop loop = ServiceParts.serving(fairlead, watch);

  @BeforeEach
  void servesModels() {
    services =
        new OwnedServices(
            rest,
            (actor, name, spec) -> file(name.service(), spec),
            stores.services(),
            watch,
            stores.transactions());
    pass = newPass();
  }

  static AppliedService file(String name, String program) {
    if (program.startsWith("wrong")) {
      throw new Refusal(
          ProblemCode.UNKNOWN_FIELD,
          "The body is wrong.",
          List.of(
              new FieldProblem(
                  "/rout", ProblemCode.UNKNOWN_FIELD, "Did you mean route?", "route")));
    }
    return new AppliedService(
        name + ".example",
        new AppliedService.Scale(2, 4, null, List.of(), null),
        List.of(50, 100),
        Duration.ofSeconds(5),
        Duration.ofMillis(500),
        Specs.job("")
            .gpus(1)
            .run(program)
            .annotation("sim.fairlead.dev/requests", "100")
            .annotation("sim.fairlead.dev/error-percent", program.startsWith("bad") ? "30" : "0")
            .build(),
        ServiceVersion.Endpoint.DEFAULT,
        ModelService.Access.OPEN,
        List.of(),
        RouteOptions.NONE);
  }

  @Override
  void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      super.pass(1);
      loop.tick();
    }
  }

  Actor ana() {
    return fairlead.ana();
  }

  ModelServices.Name named(String service) {
    return new ModelServices.Name(fairlead.project().name(), service);
  }

  ModelServiceView view(String service) {
    return rest.one(ana(), named(service));
  }

  List<String> names() {
    return rest.all(ana(), fairlead.project().name()).stream().map(ModelServiceView::name).toList();
  }

  ServiceStatus shown(String uid) {
    return Objects.requireNonNull(cluster.status(uid).service(), "it is a ModelService");
  }

  /** The true condition of the ModelService, its reason and its message. */
  String told(String uid) {
    return shown(uid).conditions().stream()
        .filter(FrontCondition::is)
        .map(one -> one.type() + " " + one.reason() + ": " + one.message())
        .findFirst()
        .orElse("nothing");
  }

  List<Job> replicas() {
    return jobs().stream().filter(job -> !job.run().ended()).toList();
  }
}
