package dev.fairlead.care.reservation.web;

import dev.fairlead.care.reservation.service.AdvanceReservationCommands;
import dev.fairlead.care.reservation.service.AdvanceReservationView;
import dev.fairlead.care.reservation.service.AdvanceReservations;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Nodes that are reserved for a project or for maintenance during a period. */
@ApiController(ApiPaths.ROOT + "/advance-reservations")
@Tag(name = "Clusters")
class AdvanceReservationController {
  private final AdvanceReservationCommands commands;
  private final AdvanceReservations advanceReservations;

  AdvanceReservationController(
      AdvanceReservationCommands commands, AdvanceReservations advanceReservations) {
    this.commands = commands;
    this.advanceReservations = advanceReservations;
  }

  @Operation(
      operationId = "createAdvanceReservation",
      summary = "Reserve nodes for a project or for maintenance",
      description =
          "The nodes are selected when the request is made. Before the start, jobs of others start"
              + " on them only if they end in time. From the start to the end, only jobs of the"
              + " project start on"
              + " them. For maintenance, no job starts on them. IN_USE: a node is reserved at"
              + " that time. ILLEGAL_STATE: a node is out of service, or too few nodes are left.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content =
                  @Content(
                      schema = @Schema(implementation = CreateAdvanceReservationRequest.class))))
  @ApiResponse(responseCode = "201", description = "Reserved.", useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<AdvanceReservationView> create(
      Actor actor,
      @RequestBody Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    CreateAdvanceReservationRequest order =
        BodyBinder.bind(body, CreateAdvanceReservationRequest.class);
    AdvanceReservationView made =
        commands.create(
            actor, order, options.key("advanceReservations", body), options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/advance-reservations/" + made.id())))
        .body(made);
  }

  @Operation(
      operationId = "listAdvanceReservations",
      summary = "List advance reservations",
      description =
          "Lists advance reservations that have not ended, by start. Platform roles see all,"
              + " other roles the advance reservations for their projects.")
  @GetMapping
  Page<AdvanceReservationView> list(Actor actor) {
    return Page.whole(advanceReservations.all(actor));
  }

  @Operation(
      operationId = "getAdvanceReservation",
      summary = "Read an advance reservation",
      description =
          "Takes an id or a name. Platform roles can read an ended advance reservation by its id"
              + " for 90 days.")
  @GetMapping("/{reservation}")
  AdvanceReservationView one(Actor actor, @PathVariable String reservation) {
    return advanceReservations.one(actor, reservation);
  }

  @Operation(
      operationId = "cancelAdvanceReservation",
      summary = "Cancel an advance reservation",
      description = "Releases the nodes for all jobs. Jobs that run there continue.")
  @ApiResponse(responseCode = "204", description = "Cancelled.")
  @DeleteMapping("/{reservation}")
  ResponseEntity<Void> cancel(Actor actor, @PathVariable String reservation, WriteOptions options) {
    commands.cancel(actor, reservation, options.validateOnly());
    return ResponseEntity.noContent().build();
  }
}
