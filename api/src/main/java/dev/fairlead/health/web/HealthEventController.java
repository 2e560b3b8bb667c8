package dev.fairlead.health.web;

import dev.fairlead.body.Body;
import dev.fairlead.body.BodyConverter;
import dev.fairlead.body.FieldProblems;
import dev.fairlead.body.Fields;
import dev.fairlead.body.Value;
import dev.fairlead.health.HealthEvent;
import dev.fairlead.health.Incident;
import dev.fairlead.health.Judgement;
import dev.fairlead.health.service.HealthIntake;
import dev.fairlead.health.service.Intake;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.tenant.Actor;
import dev.fairlead.web.ApiPaths;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Takes events of monitors in. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT,
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Health")
class HealthEventController {
  private static final int MOST = 500;
  private static final int LONGEST_ID = 128;
  private static final int LONGEST_NODE = 253;
  private static final int LONGEST_DEVICE = 64;
  private static final int LONGEST_MESSAGE = 1024;
  private static final int MOST_XID = 99_999;
  private static final Pattern PLAIN = Pattern.compile("[-A-Za-z0-9_.:/]+");
  private static final Pattern PRINTED = Pattern.compile("[^\\p{Cntrl}]*");
  private final HealthIntake intake;

  HealthEventController(HealthIntake intake) {
    this.intake = intake;
  }

  /**
   * Events of one cluster.
   *
   * @param events 1 to 500
   */
  @Schema(name = "HealthEventsRequest")
  record HealthEventsRequest(List<HealthEventRequest> events) {}

  /**
   * A fault as a monitor saw it.
   *
   * @param id of the sender's choice, the same in each repeat: letters, digits and -_.:/ , at most
   *     128 characters
   * @param at when it happened; at most 5 minutes ahead of the clock here
   * @param node name of the machine
   * @param gpu UUID of the device, absent when the sender does not know it
   * @param serial serial number of the device
   * @param xid code of the driver's error, from 1; one that the table does not have is stored and
   *     isolates nothing
   * @param message as the driver logged it
   */
  @Schema(name = "HealthEventRequest")
  record HealthEventRequest(
      String id,
      Instant at,
      String node,
      @Nullable String gpu,
      @Nullable String serial,
      int xid,
      @Nullable String message) {}

  /** Answers in the order of the events. */
  record HealthEventsResponse(List<HealthEventResult> items) {}

  /**
   * What came of one event.
   *
   * @param index from 0
   * @param verdict null for an event that was not judged
   * @param incident id of the one that it opened or joined, null for none
   * @param detail what it means and what was done
   */
  record HealthEventResult(
      int index,
      String id,
      Intake.Outcome outcome,
      Judgement.@Nullable Verdict verdict,
      @Nullable String incident,
      String detail) {}

  @Operation(
      operationId = "reportHealthEvents",
      summary = "Report faults of GPUs",
      description =
          "XID errors that monitors of a cluster saw, at most 500. An event is stored once by its id, so a repeat does"
              + " nothing. The first event that the table calls a fault takes its node out of use and opens an incident;"
              + " what follows within 3 minutes refines it. Codes, nodes and devices that are unknown are stored and isolate"
              + " nothing, like events more than an hour old; an event from the future is refused alone. Made for tokens"
              + " with the role monitor, which can do nothing else.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = HealthEventsRequest.class))))
  @PostMapping(
      path = "/clusters/{cluster}/health-events",
      consumes = {MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  HealthEventsResponse report(Actor actor, @PathVariable String cluster, @RequestBody Body body) {
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    List<Value> items =
        fields
            .required("events", "1 to " + MOST + " events.")
            .map(v -> v.items(MOST))
            .orElse(List.of());
    if (items.isEmpty() && problems.none()) {
      fields.refuse(
          "events",
          ProblemCode.LIMIT_EXCEEDED,
          "A report has 1 to " + MOST + " events, not 0.",
          null);
    }
    fields.done();
    List<HealthEvent> events =
        items.stream().map(HealthEventController::event).flatMap(Optional::stream).toList();
    problems.refuse();
    List<Intake> taken = intake.take(actor, cluster, events);
    List<HealthEventResult> results = new ArrayList<>();
    for (Intake one : taken) {
      Incident incident = one.incident();
      results.add(
          new HealthEventResult(
              results.size(),
              events.get(results.size()).id(),
              one.outcome(),
              one.verdict(),
              incident == null ? null : incident.id().text(),
              one.detail()));
    }
    return new HealthEventsResponse(results);
  }

  private static Optional<HealthEvent> event(Value item) {
    Optional<Fields> object = item.fields();
    if (object.isEmpty()) {
      return Optional.empty();
    }
    Fields fields = object.get();
    Optional<String> id =
        fields
            .required("id", "the same for each repeat of the event.")
            .flatMap(v -> plain(v, LONGEST_ID));
    Optional<Instant> at = fields.required("at", "when it happened.").flatMap(Value::time);
    Optional<String> node =
        fields.required("node", "name of the machine.").flatMap(v -> plain(v, LONGEST_NODE));
    Optional<String> gpu = fields.get("gpu").flatMap(v -> plain(v, LONGEST_DEVICE));
    Optional<String> serial = fields.get("serial").flatMap(v -> plain(v, LONGEST_DEVICE));
    Optional<Integer> xid =
        fields.required("xid", "the driver's code.").flatMap(v -> v.integer(1, MOST_XID));
    Optional<String> message =
        fields
            .get("message")
            .flatMap(v -> v.anyText(LONGEST_MESSAGE).flatMap(t -> matching(v, t, PRINTED)));
    fields.done();
    return id.isEmpty() || at.isEmpty() || node.isEmpty() || xid.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new HealthEvent(
                id.get(),
                at.get(),
                node.get(),
                gpu.orElse(null),
                serial.orElse(null),
                xid.get(),
                message.orElse("")));
  }

  private static Optional<String> plain(Value value, int most) {
    return value.text(most).flatMap(text -> matching(value, text, PLAIN));
  }

  private static Optional<String> matching(Value value, String text, Pattern allowed) {
    return allowed.matcher(text).matches()
        ? Optional.of(text)
        : value.bad("has characters that are not allowed: " + allowed.pattern(), null);
  }
}
