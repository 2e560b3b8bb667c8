package dev.fairlead.work.publisher.web;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.web.AcrossProjects;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.EventResponse;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.event.EventFilter;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventSlice;
import dev.fairlead.work.event.FleetFact;
import dev.fairlead.work.job.EventTypes;
import dev.fairlead.work.publisher.service.EventQueries;
import dev.fairlead.work.publisher.service.EventReader;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Returns events as pages and as a stream. */
@RestController
@RequestMapping(path = ApiPaths.ROOT + "/events", version = ApiPaths.V1)
@Tag(name = "Events")
class EventController {
  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private final EventQueries events;
  private final PageTokens tokens;
  private final InstantSource clock;

  EventController(EventQueries events, PageTokens tokens, InstantSource clock) {
    this.events = events;
    this.tokens = tokens;
    this.clock = clock;
  }

  @AcrossProjects
  @Operation(
      operationId = "listEvents",
      summary = "List events",
      description =
          "Lists events of jobs, nodes, incidents, quarantines and clusters within seven days,"
              + " oldest first, in all projects where the caller has a role. Operators and auditors"
              + " get all events of the fleet. Other callers get events of nodes of their jobs."
              + " node, cluster and incident select events of the fleet. since takes the id of an"
              + " event to return later ones, a time, or a duration before now. A page may have"
              + " fewer than pageSize events, or none, although a nextPageToken exists.")
  @GetMapping(produces = MediaType.APPLICATION_JSON_VALUE)
  ResponseEntity<Page<EventResponse>> list(
      Actor actor,
      @RequestParam(required = false) @Nullable String project,
      @RequestParam(required = false) @Nullable String job,
      @RequestParam(required = false) @Nullable Set<String> type,
      @RequestParam(required = false) @Nullable String node,
      @RequestParam(required = false) @Nullable String cluster,
      @RequestParam(required = false) @Nullable String incident,
      @RequestParam(required = false) @Nullable String since,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    EventFilter filter = filter(actor, project, job, type, place(node, cluster, incident));
    String sealed =
        "all events " + project + " " + job + " " + filter.types() + " " + since + filter.place();
    EventPosition start =
        since == null || pageToken != null
            ? EventPosition.START
            : events.kept(position("since", since));
    EventPosition after =
        tokens
            .position(actor, sealed, pageToken)
            .map(text -> EventResponse.position("pageToken", text))
            .orElse(start);
    EventSlice found = events.page(filter, after, size);
    String next =
        found.next() == null ? null : tokens.next(actor, sealed, EventResponse.id(found.next()));
    return new Page<>(found.events().stream().map(EventResponse::of).toList(), next).answer();
  }

  @AcrossProjects
  @Operation(
      operationId = "streamEvents",
      summary = "Follow events",
      description =
          "Streams server-sent events: id is the position of the event, and data is the event."
              + " Without Last-Event-ID or since, the stream starts now. With either, the stream"
              + " starts after that event (since also takes a time), so a broken stream resumes"
              + " without a gap. A line is sent at least every 15 seconds. A position older than"
              + " the retention is refused with 410, or with an event named problem if the stream"
              + " has already begun. A client that does not read is disconnected.")
  @ApiResponse(
      responseCode = "200",
      description = "The stream of events.",
      content =
          @Content(
              mediaType = MediaType.TEXT_EVENT_STREAM_VALUE,
              schema = @Schema(implementation = StreamedEvent.class)))
  @GetMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
  void stream(
      Actor actor,
      @RequestParam(required = false) @Nullable String project,
      @RequestParam(required = false) @Nullable String job,
      @RequestParam(required = false) @Nullable Set<String> type,
      @RequestParam(required = false) @Nullable String node,
      @RequestParam(required = false) @Nullable String cluster,
      @RequestParam(required = false) @Nullable String incident,
      @RequestParam(required = false) @Nullable String since,
      @RequestHeader(name = LAST_EVENT_ID, required = false) @Nullable String lastEventId,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    EventFilter filter = filter(actor, project, job, type, place(node, cluster, incident));
    EventPosition after =
        lastEventId != null
            ? EventResponse.position(LAST_EVENT_ID, lastEventId)
            : since == null ? null : position("since", since);
    if (HttpMethod.HEAD.matches(request.getMethod())) {
      if (after != null) {
        events.kept(after);
      }
      EventStream.begin(response);
      return; // without a body, a disconnected caller would not be detected
    }
    try (EventReader reader = events.follow(actor, filter, after)) {
      EventStream.send(reader, request, response);
    }
  }

  /** The id of an event, a time, or a duration before now. */
  private EventPosition position(String name, String text) {
    if (text.startsWith(IdKind.EVENT.prefix() + "_")) {
      return EventResponse.position(name, text);
    }
    return events.since(Objects.requireNonNull(Parameters.since(name, text, clock.instant())));
  }

  private static SortedMap<String, String> place(
      @Nullable String node, @Nullable String cluster, @Nullable String incident) {
    SortedMap<String, String> place = new TreeMap<>();
    if (node != null) {
      place.put(FleetFact.NODES, node);
    }
    if (cluster != null) {
      place.put(FleetFact.CLUSTER, cluster);
    }
    if (incident != null) {
      place.put(FleetFact.INCIDENT, new IncidentId(ApiPaths.id(IdKind.INCIDENT, incident)).text());
    }
    return place;
  }

  private EventFilter filter(
      Actor actor,
      @Nullable String project,
      @Nullable String job,
      @Nullable Set<String> types,
      SortedMap<String, String> place) {
    JobId only = job == null ? null : new JobId(ApiPaths.id(IdKind.JOB, job));
    Set<String> asked = types == null ? Set.of() : new TreeSet<>(types);
    asked.forEach(type -> Parameters.word("type", EventTypes.known(), type));
    return events.filter(actor, project, only, asked, place);
  }
}
