package dev.fairlead.work.webhook.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.work.webhook.Webhook;
import dev.fairlead.work.webhook.WebhookAnswer;
import dev.fairlead.work.webhook.WebhookDelivery;
import dev.fairlead.work.webhook.WebhookState;
import dev.fairlead.work.webhook.WebhookStatus;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A webhook, as the API returns it. */
@RecordBuilder
@Schema(name = "WebhookResponse")
public record WebhookView(
    @Schema(description = "Id of the webhook") String id,
    @Schema(description = "Name of the webhook, a DNS label") String name,
    @Schema(description = "Name of the project, or null for all projects of the tenant")
        @Nullable String project,
    @Schema(description = "Address to which events are sent") String url,
    @Schema(description = "Types of events, or empty for all") List<String> types,
    @Schema(description = "PEM certificates of the CA for the address, encoded as base64")
        @Nullable String caData,
    @Schema(
            description =
                "ACTIVE, PAUSED by an owner, or DISABLED by Fairlead because the address accepts"
                    + " no events")
        WebhookStatus status,
    @Schema(description = "Reason why the webhook is PAUSED or DISABLED, empty when ACTIVE")
        String reason,
    @Schema(
            description =
                "Secret of the signatures. Present only in the response that creates the webhook"
                    + " or rotates its secret, otherwise null")
        @Nullable String secret,
    @Schema(
            description =
                "Time until which calls are also signed with the previous secret, or null")
        @Nullable Instant previousSecretUntil,
    @Schema(
            description =
                "Id of an event. This and all earlier events were accepted, are in the list of"
                    + " failed deliveries, or do not match")
        String position,
    @Schema(description = "Number of accepted events") long delivered,
    @Schema(description = "Time of the last accepted event, or null if none")
        @Nullable Instant deliveredAt,
    @Schema(description = "Number of failed calls in a row") int failures,
    @Schema(description = "Time of the first failed call in a row, or null if none")
        @Nullable Instant failingSince,
    @Schema(description = "Version of the address and the filter") long version) {
  static WebhookView of(
      ConfigDocument<Webhook> document,
      WebhookState state,
      WebhookMessages messages,
      @Nullable String secret) {
    Webhook webhook = document.value();
    return WebhookViewBuilder.builder()
        .id(webhook.id().text())
        .name(webhook.name())
        .project(webhook.project())
        .url(webhook.url())
        .types(List.copyOf(webhook.types()))
        .caData(webhook.caData())
        .status(state.status())
        .reason(state.reason())
        .secret(secret)
        .previousSecretUntil(state.secrets().previousUntil())
        .position(messages.id(state.position()))
        .delivered(state.health().delivered())
        .deliveredAt(state.health().deliveredAt())
        .failures(state.health().failures())
        .failingSince(state.health().failingSince())
        .version(document.version())
        .build();
  }

  /** Returns the view with that secret. */
  WebhookView with(@Nullable String shown) {
    return WebhookViewBuilder.builder(this).secret(shown).build();
  }

  /** An event that the webhook did not accept. */
  @RecordBuilder
  @Schema(name = "WebhookDeliveryResponse")
  public record Delivery(
      @Schema(description = "Id of the event") String event,
      @Schema(description = "Type of the event") String type,
      @Schema(description = "Time of the event") Instant eventAt,
      @Schema(description = "Id of the object, such as a job") String subject,
      @Schema(description = "Whether the event was abandoned. Otherwise it is retried")
          boolean dead,
      @Schema(description = "Number of failed attempts") int attempts,
      @Schema(description = "Time of the first failure") Instant firstAt,
      @Schema(description = "Time of the next attempt, or time when the event was abandoned")
          Instant nextAt,
      @Schema(description = "HTTP status of the last response, or null when none arrived")
          @Nullable Integer status,
      @Schema(description = "Beginning of the last response, or the reason why none arrived")
          String response) {
    static Delivery of(WebhookDelivery delivery, WebhookMessages messages) {
      WebhookAnswer answer = delivery.answer();
      return WebhookViewDeliveryBuilder.builder()
          .event(messages.id(delivery.position()))
          .type(delivery.type())
          .eventAt(delivery.eventAt())
          .subject(messages.subject(delivery.subject()))
          .dead(delivery.dead())
          .attempts(delivery.attempts())
          .firstAt(delivery.firstAt())
          .nextAt(delivery.nextAt())
          .status(answer.status() == 0 ? null : answer.status())
          .response(answer.text())
          .build();
    }
  }

  /** The outcome of a test call. */
  @Schema(name = "WebhookTestResponse")
  public record TestAnswer(
      @Schema(description = "Whether the status is from 200 to 299") boolean accepted,
      @Schema(description = "HTTP status, or null when no response arrived")
          @Nullable Integer status,
      @Schema(description = "Beginning of the response, or the reason why none arrived")
          String response,
      @Schema(description = "Duration of the call in milliseconds") long milliseconds) {}
}
