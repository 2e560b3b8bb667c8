package dev.fairlead.work.workload.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
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
import java.util.TreeSet;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Accepts an operator's confirmation for unobservable members. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Health")
class ConfirmDeadController {
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
    ConfirmDeadRequest request = BodyBinder.bind(body, ConfirmDeadRequest.class);
    DeathConfirmation.Word word =
        new DeathConfirmation.Word(new TreeSet<>(request.members()), request.reason());
    return ConfirmedDeathResponse.of(
        confirmation.confirm(actor, id, word, key, options.validateOnly()));
  }
}
