package dev.fairlead.care.health.web;

import dev.fairlead.care.health.RepairStep;
import dev.fairlead.care.health.service.repair.RepairerView;
import dev.fairlead.care.health.service.repair.Repairers;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Manages repairers of clusters. */
@ApiController(ApiPaths.ROOT + "/clusters/{cluster}/repairer")
@Tag(name = "Health")
class RepairerController {
  private static final int LONGEST_URL = 1_000;
  private static final int LONGEST_CA = 65_536;
  private final Repairers repairers;

  RepairerController(Repairers repairers) {
    this.repairers = repairers;
  }

  @Operation(
      operationId = "getRepairer",
      summary = "Read the repairer of a cluster",
      description =
          "Returns the repair service, which receives repair steps by webhook or by node"
              + " annotations, and its open tasks. Requires a platform role.")
  @GetMapping
  ResponseEntity<RepairerResponse> one(Actor actor, @PathVariable String cluster) {
    return tagged(repairers.of(actor, cluster));
  }

  @Operation(
      operationId = "putRepairer",
      summary = "Set the repairer of a cluster",
      description =
          "Sets the repair service, which receives these repair steps for the cluster's"
              + " nodes by webhook or by node annotations. Other steps wait for operators. The"
              + " response contains the signing key of the calls. Open tasks are sent to the new"
              + " address. If-Match is optional.")
  @PutBody
  ResponseEntity<RepairerResponse> put(
      Actor actor,
      @PathVariable String cluster,
      @RequestBody @BodyOf(RepairerFields.Put.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    FieldProblems problems = new FieldProblems();
    Repairers.Draft draft = read(body.fields(problems));
    problems.refuse();
    return tagged(
        repairers.put(
            actor, cluster, draft, expected(actor, cluster, options), options.validateOnly()));
  }

  @Operation(
      operationId = "deleteRepairer",
      summary = "Remove the repairer of a cluster",
      description =
          "Removes the repairer. All steps wait for operators again. Refused while it has open"
              + " tasks, because it may be working on a machine: set an empty list of steps"
              + " first. If-Match is optional.")
  @ApiResponse(responseCode = "204", description = "Repairer removed.")
  @DeleteMapping
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String cluster,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    repairers.delete(actor, cluster, expected(actor, cluster, options), options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private static Repairers.Draft read(Fields fields) {
    List<RepairStep> steps = new ArrayList<>();
    fields
        .required("steps", "the steps it performs, or an empty list.")
        .map(v -> v.items(RepairStep.values().length))
        .orElse(List.of())
        .forEach(item -> step(item).ifPresent(steps::add));
    boolean tests = fields.get("tests").flatMap(Value::flag).orElse(false);
    boolean annotations = fields.get("annotations").flatMap(Value::flag).orElse(false);
    if (annotations && fields.has("webhook")) {
      fields.refuse(
          "webhook",
          ProblemCode.CONFLICTING_FIELDS,
          "A repair service uses either a webhook or annotations: remove one of them.",
          null);
    }
    Optional<Fields> webhook =
        annotations
            ? Optional.empty()
            : fields
                .required("webhook", "the address at which it is called, or annotations: true.")
                .flatMap(Value::fields);
    Optional<String> url =
        webhook.flatMap(
            w -> w.required("url", "an https address.").flatMap(v -> v.text(LONGEST_URL)));
    Optional<String> ca = webhook.flatMap(w -> w.get("caData").flatMap(v -> v.text(LONGEST_CA)));
    webhook.ifPresent(Fields::done);
    fields.done();
    return new Repairers.Draft(steps, tests, annotations ? null : url.orElse(""), ca.orElse(null));
  }

  private static Optional<RepairStep> step(Value item) {
    return item.choice(RepairStep.class)
        .flatMap(step ->
            step.repairs()
                ? Optional.of(step)
                : item.bad("is not a step that is performed on a machine", "RESET_GPU"));
  }

  private @Nullable Long expected(Actor actor, String cluster, WriteOptions options) {
    return options.ifGiven(() -> repairers.of(actor, cluster).repairer().version());
  }

  private static ResponseEntity<RepairerResponse> tagged(RepairerView view) {
    return ResponseEntity.ok()
        .eTag(Etags.of(view.repairer().version()))
        .body(RepairerResponse.of(view));
  }
}
