package dev.fairlead.work.relay.web;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The fields of one event of the stream, for the API's document: before OpenAPI 3.2 the schema of
 * {@code text/event-stream} describes a single event.
 */
@Schema(description = "The fields of one server-sent event.")
record StreamedEvent(
    @Schema(description = "Position of the event; pass it as Last-Event-ID to continue after it.")
        @Nullable String id,
    @Schema(description = "\"problem\" when the stream ends with an error, else absent.")
        @Nullable String event,
    @Schema(description = "The event as JSON: what GET /events shows of it.") String data) {}
