package dev.fairlead.care.health.web;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.service.Incidents;
import dev.fairlead.care.health.service.QuarantineCommands;
import dev.fairlead.care.health.web.IncidentResponse.QuarantineResponse;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Lists incidents, and quarantines and releases nodes. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Health")
class IncidentController {
  private final Incidents incidents;
  private final QuarantineCommands commands;
  private final PageTokens tokens;

  IncidentController(Incidents incidents, QuarantineCommands commands, PageTokens tokens) {
    this.incidents = incidents;
    this.commands = commands;
    this.tokens = tokens;
  }

  /** Takes a node out of service because of its health. */
  @Schema(name = "QuarantineNodeRequest")
  record QuarantineNodeRequest(
      @Schema(description = "Reason for the quarantine") @Size(min = 1, max = 500) String reason,
      @Schema(
              implementation = String.class,
              description = "Duration, 1m to 366d. Until a release when absent")
          @DurationMin(minutes = 1)
          @DurationMax(days = 366)
          @Nullable Duration lasts) {}

  /** Returns a node to service. */
  @Schema(name = "ReleaseNodeRequest")
  record ReleaseNodeRequest(
      @Schema(description = "Reason for the release") @Size(min = 1, max = 500) String reason) {}

  @Operation(
      operationId = "listIncidents",
      summary = "List incidents",
      description =
          "Lists incidents of all nodes, or of one node (id or name), newest first:"
              + " device faults, machine faults, and attempts that hung on the node.")
  @GetMapping("/incidents")
  ResponseEntity<Page<IncidentResponse>> list(
      Actor actor,
      @RequestParam(required = false) @Nullable String node,
      @Parameter(description = "Whether to return only open incidents.")
          @RequestParam(defaultValue = "false")
          boolean open,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "incidents " + open + " " + node;
    IncidentId before =
        tokens
            .position(actor, filter, pageToken)
            .map(text -> new IncidentId(ApiPaths.id(IdKind.INCIDENT, text)))
            .orElse(null);
    List<Incidents.View> found = incidents.list(node, open, before, size + 1);
    return tokens
        .page(actor, filter, size, found, one -> one.id().text())
        .map(IncidentResponse::of)
        .answer();
  }

  @Operation(
      operationId = "getIncident",
      summary = "Read an incident",
      description = "Returns the fault, its scope, and the actions taken.")
  @GetMapping("/incidents/{incident}")
  IncidentResponse one(@PathVariable String incident) {
    return IncidentResponse.of(
        incidents.one(new IncidentId(ApiPaths.id(IdKind.INCIDENT, incident))));
  }

  @Operation(
      operationId = "quarantineNode",
      summary = "Quarantine a node",
      description =
          "The node accepts no new jobs, regardless of reports from its cluster, until it"
              + " is released or the time has passed. Running jobs continue. The caller takes over"
              + " the current quarantines of the node, except those held by another operator and"
              + " those of a domain, and none ends earlier than before. Circuit breakers do not"
              + " apply.")
  @PostBody("/nodes/{node}/quarantine")
  Page<QuarantineResponse> quarantine(
      Actor actor,
      @PathVariable String node,
      WriteOptions options,
      @RequestBody QuarantineNodeRequest request) {
    return page(
        commands.hold(actor, node, request.reason(), request.lasts(), options.validateOnly()));
  }

  @Operation(
      operationId = "releaseNode",
      summary = "Release a node from quarantine",
      description =
          "Ends all quarantines of the node itself and its open incidents, even if its cluster"
              + " no longer lists the node. Refused with ILLEGAL_STATE if the node has neither."
              + " A quarantine of its topology domain ends only with the domain. The node"
              + " returns to service when the next report of its cluster shows it ready. A"
              + " cordon remains. The response lists the released quarantines. The list is empty"
              + " if the open incidents caused no quarantine. The reason is optional, in the"
              + " body or as a parameter.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = false,
              content = @Content(schema = @Schema(implementation = ReleaseNodeRequest.class))))
  @PostBody("/nodes/{node}/release")
  Page<QuarantineResponse> release(
      Actor actor,
      @PathVariable String node,
      WriteOptions options,
      @RequestBody(required = false) @Nullable Body body) {
    String reason = body == null ? null : BodyBinder.bind(body, ReleaseNodeRequest.class).reason();
    return page(
        commands.release(
            actor, node, ReleaseReason.of(actor.cause().reason(), reason), options.validateOnly()));
  }

  private static Page<QuarantineResponse> page(List<Quarantine> quarantines) {
    return Page.whole(quarantines.stream().map(QuarantineResponse::of).toList());
  }
}
