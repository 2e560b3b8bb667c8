package dev.fairlead.work.workload.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.service.DeathConfirmation;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Accepts an operator's confirmation for unobservable members. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Health")
class ConfirmDeadController {
  private static final int MOST_MEMBERS = 10_000;
  private static final int LONGEST_MEMBER = 40;
  private static final int LONGEST_REASON = 500;
  private final DeathConfirmation confirmation;

  ConfirmDeadController(DeathConfirmation confirmation) {
    this.confirmation = confirmation;
  }

  @Operation(
      operationId = "confirmDead",
      summary = "Confirm that members are dead",
      description =
          "Records an operator's confirmation, after a check, that members are dead. It"
              + " applies to an attempt that is UNKNOWN or STOPPING because no proof exists that"
              + " its members have ended, and is recorded in the audit log. When all members are"
              + " dead, the attempt ends and its resources are released. The rest of a gang is"
              + " stopped. If the confirmation is wrong, the job can run twice.")
  @PostBody("/attempts/{attemptId}/confirm-dead")
  ConfirmedDeathResponse confirm(
      Actor actor,
      @PathVariable String attemptId,
      @RequestBody @BodyOf(ConfirmDeadRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    AttemptId id = new AttemptId(ApiPaths.id(IdKind.ATTEMPT, attemptId));
    RequestKey key = options.key("confirm " + attemptId, body);
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    Optional<Value> given = fields.required("members", "the dead members, such as [worker-0].");
    List<String> members = given.map(v -> v.texts(MOST_MEMBERS, LONGEST_MEMBER)).orElse(List.of());
    if (given.isPresent() && members.isEmpty()) {
      given.orElseThrow().bad("must name at least one member", null);
    }
    Optional<String> reason =
        fields
            .required("reason", "the evidence that they are dead.")
            .flatMap(v -> v.text(LONGEST_REASON));
    fields.done();
    problems.refuse();
    DeathConfirmation.Word word =
        new DeathConfirmation.Word(new TreeSet<>(members), reason.orElse(""));
    return ConfirmedDeathResponse.of(
        confirmation.confirm(actor, id, word, key, options.validateOnly()));
  }
}
