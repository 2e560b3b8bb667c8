package dev.fairlead.care.booking.web;

import dev.fairlead.care.booking.BookingPurpose;
import dev.fairlead.care.booking.service.BookingCommands;
import dev.fairlead.care.booking.service.BookingDraft;
import dev.fairlead.care.booking.service.BookingView;
import dev.fairlead.care.booking.service.Bookings;
import dev.fairlead.fleet.node.Overrun;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyConverter;
import dev.fairlead.kernel.body.FieldProblems;
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
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Nodes kept for a project, or for maintenance, from one time to another. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/bookings",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Clusters")
class BookingController {
  private final BookingCommands commands;
  private final Bookings bookings;

  BookingController(BookingCommands commands, Bookings bookings) {
    this.commands = commands;
    this.bookings = bookings;
  }

  /**
   * A booking. Its nodes are those that are named, or a number of those of the cluster, the pool
   * and the model that are given: the least loaded that are in service and not booked then.
   *
   * @param name a DNS label that no booking to come has
   * @param purpose PROJECT: only jobs of the project start there. MAINTENANCE: no job does
   * @param tenant name of the project's tenant; the one in use when absent
   * @param project its name; not with MAINTENANCE
   * @param start at most 366 days away; now when absent
   * @param end or duration; at most 366 days after the start
   * @param nodes at most 1,000 names or ids
   * @param cluster id or name; with nodes, where their names are looked for
   * @param pool name of a pool
   * @param model of the nodes' GPUs
   * @param count how many nodes, 1 to 1,000; or nodes
   * @param overrun what becomes of work of others that still runs at the start. FINISH: it runs to
   *     its end. EVICT: what may be preempted is stopped and waits again. FINISH when absent
   * @param reason at most 500 characters
   */
  @Schema(name = "CreateBookingRequest")
  record CreateBookingRequest(
      String name,
      BookingPurpose purpose,
      @Nullable String tenant,
      @Nullable String project,
      @Nullable Instant start,
      @Nullable Instant end,
      @Nullable String duration,
      @Nullable List<String> nodes,
      @Nullable String cluster,
      @Nullable String pool,
      @Nullable String model,
      @Nullable Integer count,
      @Nullable Overrun overrun,
      @Nullable String reason) {}

  @Operation(
      operationId = "createBooking",
      summary = "Book nodes for a project or for maintenance",
      description =
          "Its nodes are chosen and fixed now. Before the start, jobs of others start there only if"
              + " they leave in time; from then to the end only jobs of the project start there, or"
              + " none. Refused with IN_USE where a node is booked at that time, and with"
              + " ILLEGAL_STATE where one is out of service or too few are left.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = CreateBookingRequest.class))))
  @ApiResponse(responseCode = "201", description = "Booked.", useReturnTypeSchema = true)
  @PostMapping(consumes = {MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  ResponseEntity<BookingResponse> create(
      Actor actor,
      @RequestBody Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    FieldProblems problems = new FieldProblems();
    BookingDraft draft = BookingReader.read(body.fields(problems));
    problems.refuse();
    BookingView made =
        commands.create(actor, draft, options.key("bookings", body), options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/bookings/" + made.booking().id().text())))
        .body(BookingResponse.of(made));
  }

  @Operation(
      operationId = "listBookings",
      summary = "List bookings",
      description =
          "Lists open reservations by start time: all for platform roles, those of their projects for others.")
  @GetMapping
  Page<BookingResponse> list(Actor actor) {
    return Page.whole(bookings.all(actor).stream().map(BookingResponse::of).toList());
  }

  @Operation(
      operationId = "getBooking",
      summary = "Read a booking",
      description =
          "Accepts an id or a name. An ended reservation can be read by its id, by platform roles, for 90 days.")
  @GetMapping("/{booking}")
  BookingResponse one(Actor actor, @PathVariable String booking) {
    return BookingResponse.of(bookings.one(actor, booking));
  }

  @Operation(
      operationId = "cancelBooking",
      summary = "Cancel a booking",
      description = "Its nodes accept all jobs from now on. Jobs that run there continue.")
  @ApiResponse(responseCode = "204", description = "Cancelled.")
  @DeleteMapping("/{booking}")
  ResponseEntity<Void> cancel(Actor actor, @PathVariable String booking, WriteOptions options) {
    commands.cancel(actor, booking, options.validateOnly());
    return ResponseEntity.noContent().build();
  }
}
