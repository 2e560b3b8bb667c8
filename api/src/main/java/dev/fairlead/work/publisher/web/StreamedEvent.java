package dev.fairlead.work.publisher.web;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one event of the stream, for the API document: before OpenAPI 3.2 the schema of
 * {@code text/event-stream} describes a single event.
 */
@Schema(description = "The fields of one server-sent event.")
record StreamedEvent(
    @Schema(description = "Position of the event. Send it as Last-Event-ID to resume after it.")
        @Nullable String id,
    @Schema(description = "\"problem\" if the stream ends with an error, otherwise absent.")
        @Nullable String event,
    @Schema(description = "The event as JSON, as in GET /events.") String data) {}
