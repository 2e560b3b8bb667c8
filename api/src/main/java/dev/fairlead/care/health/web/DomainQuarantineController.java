package dev.fairlead.care.health.web;

import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.service.DomainQuarantineCommands;
import dev.fairlead.care.health.service.DomainQuarantines;
import dev.fairlead.care.health.service.NewDomainQuarantine;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Quarantines racks and other topology domains. */
@ApiController(ApiPaths.ROOT + "/clusters/{cluster}/domain-quarantines")
@Tag(name = "Health")
class DomainQuarantineController {
  private final DomainQuarantineCommands commands;
  private final DomainQuarantines quarantines;
  private final PageTokens tokens;
  private final InstantSource clock;

  DomainQuarantineController(
      DomainQuarantineCommands commands,
      DomainQuarantines quarantines,
      PageTokens tokens,
      InstantSource clock) {
    this.commands = commands;
    this.quarantines = quarantines;
    this.tokens = tokens;
    this.clock = clock;
  }

  /** Takes a topology domain out of service because of its health. */
  @Schema(name = "CreateDomainQuarantineRequest")
  record CreateDomainQuarantineRequest(
      @Schema(description = "Topology level of the cluster, such as rack") @Size(min = 1, max = 253)
          String level,
      @Schema(description = "Name of the domain at that level, with at least one node in service")
          @Size(min = 1, max = 253)
          String domain,
      @Schema(description = "Reason for the quarantine") @Size(min = 1, max = 500) String reason,
      @Schema(
              implementation = String.class,
              description = "Duration, 1m to 366d. Until a release when absent")
          @DurationMin(minutes = 1)
          @DurationMax(days = 366)
          @Nullable Duration lasts,
      @Schema(
              description =
                  "Whether to quarantine a larger share of the fleet than the circuit breaker"
                      + " allows")
          @Nullable Boolean force) {}

  /**
   * The changeable fields of a domain quarantine.
   *
   * @param reason reason for the quarantine, unchanged when absent
   * @param until end of the quarantine, within 366 days. Null for no end before a release
   * @param lasts duration from now, 1m to 366d. Excludes until
   */
  @Schema(name = "UpdateDomainQuarantineRequest")
  record Values(
      @Size(min = 1, max = 500) @Nullable String reason,
      @Nullable Instant until,
      @Schema(implementation = String.class) @DurationMin(minutes = 1) @DurationMax(days = 366)
          @Nullable Duration lasts)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      return given.contains("reason")
          ? new TreeMap<>()
          : new TreeMap<>(Map.of("reason", "is missing: the reason, recorded with the action"));
    }
  }

  /** Returns a topology domain to service. */
  @Schema(name = "ReleaseDomainQuarantineRequest")
  record ReleaseRequest(
      @Schema(description = "Reason for the release") @Size(min = 1, max = 500) String reason) {}

  @Operation(
      operationId = "createDomainQuarantine",
      summary = "Quarantine a topology domain",
      description =
          "Nodes of the domain accept no new jobs, including nodes that join it later,"
              + " until the domain is released or the time has passed. Running jobs continue. A"
              + " node that leaves the domain returns to service unless another cause prevents it."
              + " Refused with NAME_IN_USE if the domain is already quarantined, and with"
              + " ILLEGAL_STATE if it has more GPU nodes than the circuit breaker of the fleet"
              + " allows, unless force is set. With validateOnly the response lists the affected"
              + " nodes and jobs.")
  @ApiResponse(
      responseCode = "201",
      description = "Domain quarantined.",
      useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<DomainQuarantineResponse> create(
      Actor actor,
      @PathVariable String cluster,
      @RequestBody @BodyOf(CreateDomainQuarantineRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    CreateDomainQuarantineRequest request =
        BodyBinder.bind(body, CreateDomainQuarantineRequest.class);
    DomainQuarantines.View made =
        commands.create(
            actor,
            new NewDomainQuarantine(
                cluster,
                request.level(),
                request.domain(),
                request.reason(),
                request.lasts(),
                Boolean.TRUE.equals(request.force())),
            options.key("clusters/" + cluster + "/domain-quarantines", body),
            options.validateOnly());
    String path = "/clusters/" + made.cluster() + "/domain-quarantines/";
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1(path + made.quarantine().id().text())))
        .eTag(Etags.of(made.quarantine().version()))
        .body(DomainQuarantineResponse.of(made));
  }

  @Operation(
      operationId = "listDomainQuarantines",
      summary = "List domain quarantines",
      description =
          "Lists the domain quarantines of the cluster, newest first. With standing, "
              + "returns only active quarantines.")
  @GetMapping
  ResponseEntity<Page<DomainQuarantineResponse>> list(
      Actor actor,
      @PathVariable String cluster,
      @Parameter(description = "Whether to return only active quarantines.")
          @RequestParam(defaultValue = "false")
          boolean standing,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "domain-quarantines " + cluster + " " + standing;
    DomainQuarantineId before =
        tokens
            .position(actor, filter, pageToken)
            .map(text -> new DomainQuarantineId(ApiPaths.id(IdKind.DOMAIN_QUARANTINE, text)))
            .orElse(null);
    List<DomainQuarantines.View> found = quarantines.list(cluster, standing, before, size + 1);
    return tokens
        .page(actor, filter, size, found, one -> one.quarantine().id().text())
        .map(DomainQuarantineResponse::of)
        .answer();
  }

  @Operation(
      operationId = "getDomainQuarantine",
      summary = "Read a domain quarantine",
      description =
          "Returns the quarantine with the nodes it takes out of service, and the jobs"
              + " that run there.")
  @GetMapping("/{domainQuarantine}")
  ResponseEntity<DomainQuarantineResponse> one(
      @PathVariable String cluster, @PathVariable String domainQuarantine) {
    return tagged(quarantines.one(cluster, domainQuarantine));
  }

  @Operation(
      operationId = "updateDomainQuarantine",
      summary = "Change a domain quarantine",
      description =
          "JSON Merge Patch (RFC 7396) of the reason and the end, which may be earlier or"
              + " later. The caller becomes the owner. If-Match is optional.")
  @PatchBody("/{domainQuarantine}")
  ResponseEntity<DomainQuarantineResponse> update(
      Actor actor,
      @PathVariable String cluster,
      @PathVariable String domainQuarantine,
      @RequestBody @BodyOf(Values.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    DomainQuarantines.View now = quarantines.one(cluster, domainQuarantine);
    long version = now.quarantine().version();
    Long expected = options.ifGiven(() -> version);
    FieldProblems problems = new FieldProblems();
    refuseTwoEnds(body.fields(problems));
    Values present = new Values(now.quarantine().reason(), now.quarantine().until(), null);
    Optional<Values> request =
        BodyBinder.read(body.appliedTo(present).value(problems), Values.class);
    problems.refuse();
    Values values = request.orElseThrow();
    Duration lasts = values.lasts();
    return tagged(
        commands.update(
            actor,
            cluster,
            domainQuarantine,
            expected == null ? Long.valueOf(version) : expected,
            Objects.requireNonNull(values.reason()),
            lasts == null ? values.until() : clock.instant().plus(lasts),
            options.validateOnly()));
  }

  private static void refuseTwoEnds(Fields given) {
    if (given.has("until") && given.has("lasts")) {
      given.refuse(
          "lasts",
          ProblemCode.CONFLICTING_FIELDS,
          "until and lasts both set the end of the quarantine. Give one of them.",
          null);
    }
  }

  @Operation(
      operationId = "releaseDomainQuarantine",
      summary = "Release a topology domain from quarantine",
      description =
          "Ends the quarantine of the domain with the quarantines it caused on its"
              + " nodes, and nothing else: a node with its own quarantine, or in another"
              + " quarantined domain, stays out of service and is listed in otherwiseQuarantined."
              + " Other nodes return to service when the next report of their cluster shows them"
              + " ready. Refused with ILLEGAL_STATE if the quarantine has ended.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = false,
              content = @Content(schema = @Schema(implementation = ReleaseRequest.class))))
  @PostBody("/{domainQuarantine}/release")
  DomainQuarantineResponse release(
      Actor actor,
      @PathVariable String cluster,
      @PathVariable String domainQuarantine,
      WriteOptions options,
      @RequestBody(required = false) @Nullable Body body) {
    return DomainQuarantineResponse.of(
        commands.release(
            actor,
            cluster,
            domainQuarantine,
            ReleaseReason.of(
                actor.cause().reason(),
                body == null ? null : BodyBinder.bind(body, ReleaseRequest.class).reason()),
            options.validateOnly()));
  }

  private static ResponseEntity<DomainQuarantineResponse> tagged(DomainQuarantines.View view) {
    return ResponseEntity.ok()
        .eTag(Etags.of(view.quarantine().version()))
        .body(DomainQuarantineResponse.of(view));
  }
}
