package dev.fairlead.work.webhook.web;

import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.SpellingSuggestion;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.EventResponse;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.job.EventTypes;
import dev.fairlead.work.webhook.Webhook;
import dev.fairlead.work.webhook.service.WebhookOrders;
import dev.fairlead.work.webhook.service.WebhookView;
import dev.fairlead.work.webhook.service.Webhooks;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Webhooks of a tenant, or with the parameter {@code project} of a project. */
@ApiController(ApiPaths.ROOT + "/webhooks")
@Tag(name = "Webhooks")
class WebhookController {
  private static final Duration LONGEST_OVERLAP = Duration.ofDays(7);
  private static final String PLACE =
      " With project, the webhook of that project, otherwise a webhook of the tenant.";

  private final Webhooks webhooks;
  private final WebhookOrders orders;
  private final PageTokens tokens;
  private final InstantSource clock;

  WebhookController(
      Webhooks webhooks, WebhookOrders orders, PageTokens tokens, InstantSource clock) {
    this.webhooks = webhooks;
    this.orders = orders;
    this.tokens = tokens;
    this.clock = clock;
  }

  /** The address of a webhook and the filter of its events. */
  @Schema(name = "PutWebhookRequest")
  record PutWebhookRequest(
      @Schema(
              description =
                  "URL that receives the events: https:// without user, query and fragment, at"
                      + " most 1024 characters")
          @Size(max = Webhook.LONGEST_URL)
          String url,
      @Schema(description = "Types of events, such as JobSucceeded. All when absent or empty")
          @Size(max = 100)
          @Nullable List<String> types,
      @Schema(
              description =
                  "CA certificates of the address, base64 of PEM, by default"
                      + " the trusted certificates of the system")
          @Size(max = 65_536)
          @Nullable String caData)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      if (types != null) {
        types.stream()
            .filter(type -> !EventTypes.known().contains(type))
            .findFirst()
            .ifPresent(type ->
                conflicts.put(
                    "types",
                    "must be types of events such as JobSucceeded, not \"%s\"%s"
                        .formatted(
                            type,
                            SpellingSuggestion.to(type, EventTypes.known())
                                .map(near -> " (nearest: " + near + ")")
                                .orElse(""))));
      }
      return conflicts;
    }
  }

  @Operation(
      operationId = "listWebhooks",
      summary = "List webhooks",
      description = "By name. Lists the webhooks of the project, or of the tenant without project.")
  @GetMapping
  Page<WebhookView> all(Actor actor, @RequestParam(required = false) @Nullable String project) {
    return Page.whole(webhooks.all(actor, project));
  }

  @Operation(
      operationId = "getWebhook",
      summary = "Read a webhook",
      description = "Its address, filter, position and health." + PLACE)
  @GetMapping("/{webhook}")
  ResponseEntity<WebhookView> one(
      Actor actor,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String project) {
    return tagged(webhooks.one(actor, project, webhook));
  }

  @Operation(
      operationId = "putWebhook",
      summary = "Add a webhook, or change it",
      description =
          "Events that happen after the request are sent by POST, signed as Standard Webhooks"
              + " defines it, at least once, in order for each object. The response to its"
              + " creation contains the secret, which is not shown again."
              + PLACE
              + " If-Match is optional.")
  @PutBody("/{webhook}")
  ResponseEntity<WebhookView> put(
      Actor actor,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String project,
      @RequestBody PutWebhookRequest request,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Parameters.requireLabel("webhook", webhook, Names.LONGEST_LABEL);
    SortedSet<String> types =
        request.types() == null ? new TreeSet<>() : new TreeSet<>(request.types());
    return tagged(
        webhooks.put(
            actor,
            project,
            webhook,
            new Webhooks.Request(request.url(), request.caData(), types),
            options.ifGiven(() -> webhooks.one(actor, project, webhook).version()),
            options.validateOnly()));
  }

  @Operation(
      operationId = "deleteWebhook",
      summary = "Remove a webhook",
      description =
          "Calls in progress complete, and its failed deliveries are removed with it." + PLACE)
  @ApiResponse(responseCode = "204", description = "Removed.")
  @DeleteMapping("/{webhook}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String project,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    webhooks.remove(
        actor,
        project,
        webhook,
        options.ifGiven(() -> webhooks.one(actor, project, webhook).version()),
        options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  @Operation(
      operationId = "pauseWebhook",
      summary = "Pause a webhook",
      description = "No further call begins. Events wait in the log for seven days." + PLACE)
  @PostMapping("/{webhook}/pause")
  ResponseEntity<WebhookView> pause(
      Actor actor,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String project,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return tagged(orders.pause(actor, order(project, webhook, options)));
  }

  @Operation(
      operationId = "resumeWebhook",
      summary = "Resume a webhook",
      description =
          "Applies to a webhook that is PAUSED or DISABLED. The events since then are sent, and"
              + " failed events are retried for three days after the resume. Refused with"
              + " POSITION_EXPIRED when some events are no longer in the log: start a replay from"
              + " an available position, then resume the webhook."
              + PLACE)
  @PostMapping("/{webhook}/resume")
  ResponseEntity<WebhookView> resume(
      Actor actor,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String project,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return tagged(orders.resume(actor, order(project, webhook, options)));
  }

  @Operation(
      operationId = "rotateWebhookSecret",
      summary = "Replace the secret of a webhook",
      description =
          "The response contains the new secret, which is not shown again. During the overlap, each"
              + " call also has a signature with the previous secret."
              + PLACE)
  @PostMapping("/{webhook}/rotate")
  ResponseEntity<WebhookView> rotate(
      Actor actor,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String project,
      @Parameter(description = "Time for which the previous secret also signs, 0s to 7d")
          @RequestParam(defaultValue = "24h")
          String overlap,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    Duration both =
        DurationText.parse(overlap)
            .filter(given -> given.compareTo(LONGEST_OVERLAP) <= 0)
            .orElseThrow(() ->
                Parameters.refused("overlap", "must be a duration of at most 7d such as 24h"));
    return tagged(orders.rotate(actor, order(project, webhook, options), both));
  }

  @Operation(
      operationId = "testWebhook",
      summary = "Send a test event to a webhook",
      description =
          "Sends one signed event of type WebhookTest and returns the receiver's answer, within 10"
              + " seconds, whatever the status of the webhook."
              + PLACE)
  @PostMapping("/{webhook}/test")
  WebhookView.TestAnswer test(
      Actor actor,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String project) {
    return orders.test(actor, new WebhookOrders.Order(project, webhook, false));
  }

  @Operation(
      operationId = "replayWebhook",
      summary = "Send events to a webhook again",
      description =
          "With since: all events after an event, a time, or a duration back from now. With event:"
              + " one failed event, and then the later events of its object in their order. Give"
              + " either since or event."
              + PLACE)
  @PostMapping("/{webhook}/replay")
  ResponseEntity<WebhookView> replay(
      Actor actor,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String project,
      @RequestParam(required = false) @Nullable String since,
      @Parameter(description = "Id of an event in the list of failed deliveries")
          @RequestParam(required = false)
          @Nullable String event,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    WebhookOrders.Order order = order(project, webhook, options);
    if (since == null && event != null) {
      return tagged(orders.retry(actor, order, EventResponse.position("event", event)));
    }
    if (since == null || event != null) {
      throw Parameters.refused("since", "or event is required, but not both");
    }
    return tagged(orders.replay(actor, order, position(since)));
  }

  @Operation(
      operationId = "listWebhookDeliveries",
      summary = "List failed deliveries of a webhook",
      description =
          "Lists events that the webhook did not accept, newest first, with the last response. The"
              + " list contains events that are retried, and events that were abandoned in the last"
              + " seven days. Accepted events"
              + " are counted by the webhook and not listed."
              + PLACE)
  @GetMapping("/{webhook}/deliveries")
  ResponseEntity<Page<WebhookView.Delivery>> deliveries(
      Actor actor,
      @PathVariable String webhook,
      @RequestParam(required = false) @Nullable String project,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String sealed = "deliveries " + project + " " + webhook;
    EventPosition before =
        tokens
            .position(actor, sealed, pageToken)
            .map(text -> EventResponse.position("pageToken", text))
            .orElse(null);
    List<WebhookView.Delivery> found =
        orders.deliveries(actor, new WebhookOrders.Order(project, webhook, false), before, size);
    String next = found.size() < size ? null : tokens.next(actor, sealed, found.getLast().event());
    return new Page<>(found, next).answer();
  }

  private EventPosition position(String since) {
    return since.startsWith(IdKind.EVENT.prefix() + "_")
        ? EventResponse.position("since", since)
        : orders.since(Objects.requireNonNull(Parameters.since("since", since, clock.instant())));
  }

  private static WebhookOrders.Order order(
      @Nullable String project, String webhook, WriteOptions options) {
    return new WebhookOrders.Order(project, webhook, options.validateOnly());
  }

  private static ResponseEntity<WebhookView> tagged(WebhookView view) {
    return ResponseEntity.ok().eTag(Etags.of(view.version())).body(view);
  }
}
