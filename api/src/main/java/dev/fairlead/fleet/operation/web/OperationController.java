package dev.fairlead.fleet.operation.web;

import dev.fairlead.fleet.operation.DrainDeadline;
import dev.fairlead.fleet.operation.DrainPolicy;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.fleet.operation.service.DrainCommands;
import dev.fairlead.fleet.operation.service.OperationQueries;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Starts drains, and lists and cancels operations. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Operations")
class OperationController {
  private static final String FILTER = "operations";
  private final DrainCommands drains;
  private final OperationQueries operations;
  private final PageTokens tokens;
  private final InstantSource clock;

  OperationController(
      DrainCommands drains, OperationQueries operations, PageTokens tokens, InstantSource clock) {
    this.clock = clock;
    this.drains = drains;
    this.operations = operations;
    this.tokens = tokens;
  }

  @Operation(
      operationId = "drainNode",
      summary = "Drain a node",
      description =
          "Cordons the node and empties it. Preemptible jobs are stopped with their grace"
              + " period and restart elsewhere without using a retry. Other jobs run to their end,"
              + " or to the deadline with atDeadline=STOP. The response contains the operation to"
              + " follow. A repeated drain returns the same operation, with the new deadline if"
              + " one is given.")
  @ApiResponse(responseCode = "202", description = "Drain started.", useReturnTypeSchema = true)
  @PostMapping("/nodes/{node}/drain")
  ResponseEntity<OperationResponse> drainNode(
      Actor actor,
      @PathVariable String node,
      @RequestParam(required = false) @Nullable String deadline,
      @RequestParam(required = false) @Nullable String atDeadline,
      WriteOptions options) {
    return accepted(
        drains.drainNode(actor, node, due(deadline, atDeadline), options.validateOnly()));
  }

  @Operation(
      operationId = "drainCluster",
      summary = "Drain a cluster",
      description =
          "The cluster accepts no new jobs and is emptied like all its nodes. It returns to"
              + " service when it is uncordoned.")
  @ApiResponse(responseCode = "202", description = "Drain started.", useReturnTypeSchema = true)
  @PostMapping("/clusters/{cluster}/drain")
  ResponseEntity<OperationResponse> drainCluster(
      Actor actor,
      @PathVariable String cluster,
      @RequestParam(required = false) @Nullable String deadline,
      @RequestParam(required = false) @Nullable String atDeadline,
      WriteOptions options) {
    return accepted(
        drains.drainCluster(actor, cluster, due(deadline, atDeadline), options.validateOnly()));
  }

  @Operation(
      operationId = "listOperations",
      summary = "List operations",
      description = "Lists operations, newest first. Ended operations are retained for seven days.")
  @GetMapping("/operations")
  ResponseEntity<Page<OperationResponse>> list(
      Actor actor,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    OperationId before =
        tokens
            .position(actor, FILTER, pageToken)
            .map(text -> new OperationId(ApiPaths.id(IdKind.OPERATION, text)))
            .orElse(null);
    List<dev.fairlead.fleet.operation.Operation> found = operations.list(actor, before, size + 1);
    return tokens
        .page(actor, FILTER, size, found, one -> one.id().text())
        .map(OperationResponse::of)
        .answer();
  }

  @Operation(
      operationId = "getOperation",
      summary = "Read an operation",
      description =
          "Returns the progress of the operation, the condition it waits for, and its" + " result.")
  @GetMapping("/operations/{operation}")
  OperationResponse one(Actor actor, @PathVariable String operation) {
    return OperationResponse.of(operations.one(actor, id(operation)));
  }

  @Operation(
      operationId = "cancelOperation",
      summary = "Cancel an operation",
      description =
          "Moved jobs are not moved back. The node stays cordoned, and the cluster accepts"
              + " no new jobs, until they are uncordoned.")
  @PostMapping("/operations/{operation}/cancel")
  OperationResponse cancel(Actor actor, @PathVariable String operation, WriteOptions options) {
    return OperationResponse.of(drains.cancel(actor, id(operation), options.validateOnly()));
  }

  private @Nullable DrainDeadline due(@Nullable String deadline, @Nullable String atDeadline) {
    DrainPolicy then =
        atDeadline == null
            ? DrainPolicy.WAIT
            : Parameters.choice("atDeadline", DrainPolicy.class, atDeadline);
    Instant at = Parameters.ahead("deadline", deadline, clock.instant());
    if (at == null && atDeadline != null) {
      throw Parameters.refused("atDeadline", "needs a deadline");
    }
    return at == null ? null : new DrainDeadline(at, then);
  }

  private static OperationId id(String text) {
    return new OperationId(ApiPaths.id(IdKind.OPERATION, text));
  }

  private static ResponseEntity<OperationResponse> accepted(
      dev.fairlead.fleet.operation.Operation operation) {
    return ResponseEntity.accepted()
        .location(URI.create(ApiPaths.v1("/operations/" + operation.id().text())))
        .body(OperationResponse.of(operation));
  }
}
