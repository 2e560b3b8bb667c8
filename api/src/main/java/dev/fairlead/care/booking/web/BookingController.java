package dev.fairlead.care.booking.web;

import dev.fairlead.care.booking.service.BookingCommands;
import dev.fairlead.care.booking.service.BookingView;
import dev.fairlead.care.booking.service.Bookings;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.BodyConverter;
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
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Nodes that are reserved for a project or for maintenance during a period. */
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

  @Operation(
      operationId = "createBooking",
      summary = "Book nodes for a project or for maintenance",
      description =
          "Selects the nodes now. Before the start, jobs of others start on them only if they leave"
              + " in time. From the start to the end, only jobs of the project start on them, or"
              + " none. IN_USE: a node is booked at that time. ILLEGAL_STATE: a node is out of"
              + " service, or too few nodes are left.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = CreateBookingRequest.class))))
  @ApiResponse(responseCode = "201", description = "Booked.", useReturnTypeSchema = true)
  @PostMapping(consumes = {MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  ResponseEntity<BookingView> create(
      Actor actor,
      @RequestBody Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    CreateBookingRequest order = BodyBinder.bind(body, CreateBookingRequest.class);
    BookingView made =
        commands.create(actor, order, options.key("bookings", body), options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/bookings/" + made.id())))
        .body(made);
  }

  @Operation(
      operationId = "listBookings",
      summary = "List bookings",
      description =
          "Bookings that have not ended, by start. Platform roles see all, other roles the bookings"
              + " for their projects.")
  @GetMapping
  Page<BookingView> list(Actor actor) {
    return Page.whole(bookings.all(actor));
  }

  @Operation(
      operationId = "getBooking",
      summary = "Read a booking",
      description =
          "Takes an id or a name. Platform roles can read an ended booking by its id for 90 days.")
  @GetMapping("/{booking}")
  BookingView one(Actor actor, @PathVariable String booking) {
    return bookings.one(actor, booking);
  }

  @Operation(
      operationId = "cancelBooking",
      summary = "Cancel a booking",
      description = "Frees the nodes for all. Jobs that run there continue.")
  @ApiResponse(responseCode = "204", description = "Cancelled.")
  @DeleteMapping("/{booking}")
  ResponseEntity<Void> cancel(Actor actor, @PathVariable String booking, WriteOptions options) {
    commands.cancel(actor, booking, options.validateOnly());
    return ResponseEntity.noContent().build();
  }
}
