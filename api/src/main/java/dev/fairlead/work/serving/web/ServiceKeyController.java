package dev.fairlead.work.serving.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.serving.key.ServiceKey;
import dev.fairlead.work.serving.key.ServiceKeyStore;
import dev.fairlead.work.serving.key.UseSpan;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.ServiceKeyView;
import dev.fairlead.work.serving.service.ServiceKeys;
import dev.fairlead.work.serving.service.ServiceUseView;
import dev.fairlead.work.serving.service.ServiceUses;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** API keys of model services, and their use. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/services/{service}")
@Tag(name = "Services")
class ServiceKeyController {
  private static final Duration USUAL = Duration.ofDays(90);
  private static final Duration MONTH = Duration.ofDays(30);
  private final ServiceKeys keys;
  private final ServiceUses uses;
  private final PageTokens tokens;
  private final InstantSource clock;

  ServiceKeyController(ServiceKeys keys, ServiceUses uses, PageTokens tokens, InstantSource clock) {
    this.keys = keys;
    this.uses = uses;
    this.tokens = tokens;
    this.clock = clock;
  }

  /** A new key of a service. */
  @Schema(name = "CreateServiceKeyRequest")
  record CreateRequest(
      @Schema(
              description =
                  "Name of the key, a DNS label that no other key of the service has or had")
          @Size(min = 1, max = ServiceKey.LONGEST_NAME)
          @Pattern(regexp = "[a-z0-9]([a-z0-9-]*[a-z0-9])?", message = NAME_RULE)
          String name,
      @Schema(implementation = String.class, description = "Lifetime, 1m to 731d, 90d by default")
          @DurationMin(minutes = 1)
          @DurationMax(days = 731)
          @Nullable Duration expiresIn,
      @Schema(
              description =
                  "Requests that are admitted in a calendar minute. Without it there is no limit")
          @Min(1)
          @Max(ServiceKey.HIGHEST_LIMIT)
          @Nullable Integer requestsPerMinute,
      @Schema(
              description =
                  "Prompt and completion tokens in a calendar minute after which requests are"
                      + " refused. Without it there is no limit")
          @Min(1)
          @Max(ServiceKey.HIGHEST_LIMIT)
          @Nullable Integer tokensPerMinute) {
    private static final String NAME_RULE =
        "must be a DNS label: lower case letters, digits and -, beginning and ending with a letter"
            + " or digit";
  }

  /** A new key with its text, which is returned only once. */
  @Schema(name = "CreatedServiceKeyResponse")
  record CreatedResponse(
      @Schema(
              description =
                  "Text for the header Authorization: Bearer, null if the request was only"
                      + " validated")
          @Nullable String key,
      @Schema(description = "The key without its text") ServiceKeyView details) {
    /** Spring logs response bodies at DEBUG. */
    @Override
    public String toString() {
      return "a new key, " + details;
    }
  }

  @Operation(
      operationId = "listServiceKeys",
      summary = "List API keys of a model service",
      description =
          "Lists keys by name, including expired and revoked keys, because usage refers to them.")
  @GetMapping("/keys")
  Page<ServiceKeyView> all(
      Actor actor, @PathVariable String project, @PathVariable String service) {
    return Page.whole(keys.all(actor, new ModelServices.Name(project, service)));
  }

  @Operation(
      operationId = "createServiceKey",
      summary = "Create an API key of a model service",
      description =
          "Only this response contains the text of the key, and only a hash is stored. If the "
              + "service has access KEYS, gates accept the key within five seconds. Takes no"
              + " Idempotency-Key, because a repeated request could not return the text.")
  @ApiResponse(responseCode = "201", description = "Key created.", useReturnTypeSchema = true)
  @PostBody("/keys")
  ResponseEntity<CreatedResponse> create(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestBody CreateRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    ServiceKeys.Made made =
        keys.create(
            actor,
            new ModelServices.Name(project, service),
            new ServiceKeys.NewKey(
                request.name(),
                request.expiresIn() == null ? USUAL : request.expiresIn(),
                request.requestsPerMinute(),
                request.tokensPerMinute()),
            options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .body(new CreatedResponse(made.text() == null ? null : made.text().reveal(), made.view()));
  }

  @Operation(
      operationId = "revokeServiceKey",
      summary = "Revoke an API key of a model service",
      description =
          "Gates refuse it within five seconds. Requests that were admitted before continue. The"
              + " key is still listed.")
  @ApiResponse(
      responseCode = "204",
      description = "The key is revoked, by this request or an earlier one.")
  @DeleteMapping("/keys/{serviceKey}")
  ResponseEntity<Void> revoke(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @PathVariable String serviceKey,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    keys.revoke(
        actor, new ModelServices.Name(project, service), serviceKey, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  @Operation(
      operationId = "reportServiceUsage",
      summary = "Report requests, tokens and their cost of a model service",
      description =
          "By hour, day or month (UTC) and by key, from what gates counted. Gates store their"
              + " counts every two seconds. At most 400 days. The cost of the replicas in a period"
              + " is divided among the keys by their tokens.")
  @GetMapping("/usage")
  ResponseEntity<Page<ServiceUseView>> usage(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestParam(defaultValue = "DAY") String period,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "usage of %s/%s by %s %s %s".formatted(project, service, period, from, to);
    UsePage last =
        tokens.position(actor, filter, pageToken).map(ServiceKeyController::usePage).orElse(null);
    UseSpan span = last == null ? span(period, from, to) : last.span();
    List<ServiceUseView> found =
        uses.page(
            actor,
            new ModelServices.Name(project, service),
            span,
            last == null ? null : last.after(),
            size + 1);
    return tokens.page(actor, filter, size, found, one -> text(span, one)).answer();
  }

  private UseSpan span(String period, @Nullable String from, @Nullable String to) {
    Parameters.Span span = Parameters.span("from", from, "to", to, MONTH, clock.instant());
    return new UseSpan(
        Parameters.choice("period", UseSpan.Period.class, period), span.from(), span.to());
  }

  /**
   * Position of a page. All pages of a report have the span of the first.
   *
   * @param after the last entry of the page before
   */
  private record UsePage(UseSpan span, ServiceKeyStore.Position after) {}

  private static String text(UseSpan span, ServiceUseView last) {
    return "%s %s %s %s %s"
        .formatted(span.period(), span.from(), span.to(), last.begin(), last.key());
  }

  private static UsePage usePage(String position) {
    String[] parts = position.split(" ", 5);
    return new UsePage(
        new UseSpan(
            UseSpan.Period.valueOf(parts[0]), Instant.parse(parts[1]), Instant.parse(parts[2])),
        new ServiceKeyStore.Position(Instant.parse(parts[3]), parts[4]));
  }
}
