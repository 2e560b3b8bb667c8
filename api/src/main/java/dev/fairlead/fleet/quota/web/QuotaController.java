package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.service.QuotaSpec;
import dev.fairlead.fleet.quota.service.QuotaView;
import dev.fairlead.fleet.quota.service.Quotas;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Reads and writes the quota tree. Its leaves are the queues. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Quotas")
class QuotaController {
  private static final int MOST_CHANGES = 100;

  private final Quotas quotas;

  QuotaController(Quotas quotas) {
    this.quotas = quotas;
  }

  @Operation(
      operationId = "listQueues",
      summary = "List queues",
      description = "Lists the leaves of the quota tree, which accept jobs, with their use.")
  @GetMapping("/queues")
  Page<QuotaResponse> queues(Actor actor) {
    return Page.whole(
        quotas.tree(actor).stream()
            .filter(view -> view.node().isQueue())
            .map(QuotaResponse::of)
            .toList());
  }

  @Operation(
      operationId = "getQueue",
      summary = "Read a queue",
      description = "Takes an id or a name. A change requires the returned ETag.")
  @GetMapping("/queues/{queue}")
  ResponseEntity<QuotaResponse> queue(Actor actor, @PathVariable String queue) {
    return tagged(ResponseEntity.ok(), quotas.queue(actor, queue));
  }

  @Operation(
      operationId = "updateQueue",
      summary = "Change a queue",
      description =
          "JSON Merge Patch (RFC 7396) of order, state, preemption rules, weight and"
              + " limits. Requires If-Match with the ETag of the read. Same as a change of the"
              + " quota node.")
  @PatchBody("/queues/{queue}")
  ResponseEntity<QuotaResponse> updateQueue(
      Actor actor,
      @PathVariable String queue,
      @RequestBody @BodyOf(QuotaRequest.Patch.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    quotas.queue(actor, queue);
    return update(actor, queue, body, options);
  }

  @Operation(
      operationId = "listQuotas",
      summary = "Read the quota tree",
      description = "Returns every node with its use, by depth, then name.")
  @GetMapping("/quotas")
  Page<QuotaResponse> tree(Actor actor) {
    return Page.whole(quotas.tree(actor).stream().map(QuotaResponse::of).toList());
  }

  @Operation(
      operationId = "getQuota",
      summary = "Read a quota node or queue",
      description = "Takes an id or a name. A change requires the returned ETag.")
  @GetMapping("/quotas/{quota}")
  ResponseEntity<QuotaResponse> one(Actor actor, @PathVariable String quota) {
    return tagged(ResponseEntity.ok(), quotas.named(actor, quota));
  }

  @Operation(
      operationId = "listQuotaWindows",
      summary = "List current and future limits of a quota node",
      description =
          "Lists current amounts and their future changes by start, for limits with"
              + " windows. Empty for a node with constant limits.")
  @GetMapping("/quotas/{quota}/windows")
  Page<LimitChangeResponse> windows(
      Actor actor,
      @PathVariable String quota,
      @Parameter(description = "Maximum number of changes, 1 to 100")
          @RequestParam(defaultValue = "10")
          int next) {
    if (next < 1 || next > MOST_CHANGES) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER, "next must be from 1 to 100, not " + next + ".");
    }
    return Page.whole(
        quotas.limitChanges(actor, quota, next).stream().map(LimitChangeResponse::of).toList());
  }

  @Operation(
      operationId = "createQuota",
      summary = "Create a quota node or queue",
      description =
          "A node with queue set accepts jobs. Any other node can have children. Requires"
              + " the role admin.")
  @ApiResponse(
      responseCode = "201",
      description = "Quota node created.",
      useReturnTypeSchema = true)
  @PostBody("/quotas")
  ResponseEntity<QuotaResponse> create(
      Actor actor,
      @RequestBody @BodyOf(QuotaRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    QuotaRequest request = BodyBinder.bind(body, QuotaRequest.class);
    QuotaView made =
        quotas.create(actor, request.spec(), options.key("quotas", body), options.validateOnly());
    URI location = URI.create(ApiPaths.v1("/quotas/" + made.node().name()));
    return tagged(ResponseEntity.status(HttpStatus.CREATED).location(location), made);
  }

  @Operation(
      operationId = "updateQuota",
      summary = "Change a quota node or queue",
      description =
          "JSON Merge Patch (RFC 7396): a value replaces the current one, and null removes it. Name"
              + " and parent cannot be changed. Requires If-Match with the ETag of the read.")
  @PatchBody("/quotas/{quota}")
  ResponseEntity<QuotaResponse> update(
      Actor actor,
      @PathVariable String quota,
      @RequestBody @BodyOf(QuotaRequest.Patch.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    long expected = options.expected(() -> version(actor, quota));
    QuotaResponse current = QuotaResponse.of(quotas.named(actor, quota));
    FieldProblems problems = new FieldProblems();
    Value merged = body.appliedTo(current.toRequest()).value(problems);
    Optional<QuotaRequest.Patch> request = BodyBinder.read(merged, QuotaRequest.Patch.class);
    Fields fields = merged.fields().orElseThrow();
    unchanged(fields, "name", current.name());
    unchanged(fields, "parent", current.parent());
    problems.refuse();
    QuotaSpec spec = request.orElseThrow().spec(current.name(), current.parent());
    return tagged(
        ResponseEntity.ok(), quotas.update(actor, quota, spec, expected, options.validateOnly()));
  }

  @Operation(
      operationId = "deleteQuota",
      summary = "Delete a quota node or queue",
      description = "Refused while it has children, jobs or a project. Requires If-Match.")
  @ApiResponse(responseCode = "204", description = "Quota node deleted.")
  @DeleteMapping("/quotas/{quota}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String quota,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    long expected = options.expected(() -> version(actor, quota));
    quotas.delete(actor, quota, expected, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private long version(Actor actor, String quota) {
    return quotas.named(actor, quota).node().version();
  }

  private static void unchanged(Fields fields, String name, @Nullable String old) {
    Object wanted = fields.get(name).map(Value::tree).orElse(null);
    if (!Objects.equals(old, wanted)) {
      fields.refuse(
          name, ProblemCode.INVALID_FIELD, name + " cannot be changed from " + old + ".", old);
    }
  }

  private static ResponseEntity<QuotaResponse> tagged(
      ResponseEntity.BodyBuilder answer, QuotaView view) {
    return answer.eTag(Etags.of(view.node().version())).body(QuotaResponse.of(view));
  }
}
