package dev.fairlead.care.campaign.web;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignDeadline;
import dev.fairlead.care.campaign.CampaignId;
import dev.fairlead.care.campaign.CampaignOrder;
import dev.fairlead.care.campaign.CampaignRules;
import dev.fairlead.care.campaign.service.CampaignCommands;
import dev.fairlead.care.campaign.service.CampaignNodeView;
import dev.fairlead.care.campaign.service.CampaignQueries;
import dev.fairlead.care.campaign.service.NewCampaign;
import dev.fairlead.care.campaign.service.NewCampaignBuilder;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.time.Duration;
import java.util.List;
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
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Runs maintenance of many nodes, a few at a time. */
@ApiController(ApiPaths.ROOT + "/campaigns")
@Tag(name = "Operations")
class CampaignController {
  private static final String FILTER = "campaigns";
  private static final int LONGEST_REASON = 500;
  private static final Duration SOAK = Duration.ofMinutes(10);
  private final CampaignCommands commands;
  private final CampaignQueries campaigns;
  private final PageTokens tokens;

  CampaignController(CampaignCommands commands, CampaignQueries campaigns, PageTokens tokens) {
    this.commands = commands;
    this.campaigns = campaigns;
    this.tokens = tokens;
  }

  /**
   * A campaign. It includes the nodes that match the cluster, the pool and the names. Give at least
   * one.
   */
  @Schema(name = "CreateCampaignRequest")
  record CreateCampaignRequest(
      @Schema(description = "Name of the campaign, such as kernel-6.12") @Size(min = 1, max = 63)
          String name,
      @Schema(description = "Reason for the campaign") @Size(min = 1, max = LONGEST_REASON)
          String reason,
      @Schema(description = "Id or name of the cluster") @Size(min = 1, max = 63)
          @Nullable String cluster,
      @Schema(description = "Name of the pool") @Size(min = 1, max = 63) @Nullable String pool,
      @Schema(description = "Ids or names of nodes") @Size(max = Campaign.MOST_NODES)
          @Nullable List<@Size(min = 1, max = 253) String> nodes,
      @Schema(
              description =
                  "Maximum number of nodes out of service at a time. Excludes percentAtOnce")
          @Min(1)
          @Max(CampaignRules.MOST_AT_ONCE)
          @Nullable Integer atOnce,
      @Schema(description = "Maximum share of its nodes out of service at a time, in percent")
          @Min(1)
          @Max(100)
          @Nullable Integer percentAtOnce,
      @Schema(
              implementation = String.class,
              description =
                  "Maximum duration of the drain of a node, 1m to 366d, unlimited when absent")
          @DurationMin(minutes = 1)
          @DurationMax(days = 366)
          @Nullable Duration drainWithin,
      @Schema(
              description =
                  "Treatment of a node that is not empty at the deadline, SKIP when absent")
          @Nullable CampaignDeadline atDeadline,
      @Schema(
              description =
                  "Maximum number of unhealthy nodes after the work. While it is exceeded, no"
                      + " further node begins. 0 when absent")
          @Min(0)
          @Max(Campaign.MOST_NODES)
          @Nullable Integer mostUnhealthy,
      @Schema(
              implementation = String.class,
              description =
                  "Minimum time that a node is healthy after the work, up to 366d, 10m when"
                      + " absent")
          @DurationMax(days = 366)
          @Nullable Duration soak)
      implements RequestRules {
    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      if (!given.contains("cluster") && !given.contains("pool") && !given.contains("nodes")) {
        conflicts.put("nodes", "is missing: set cluster, pool or nodes");
      }
      if (given.contains("atOnce") == given.contains("percentAtOnce")) {
        conflicts.put("atOnce", "is the batch size: set either atOnce or percentAtOnce");
      }
      return conflicts;
    }

    NewCampaign wanted() {
      boolean percent = percentAtOnce != null;
      Integer most = percent ? percentAtOnce : atOnce;
      return NewCampaignBuilder.builder()
          .name(name)
          .reason(reason)
          .cluster(cluster)
          .pool(pool)
          .nodes(nodes)
          .atOnce(most == null ? 1 : most)
          .percent(percent)
          .drainWithin(drainWithin)
          .atDeadline(atDeadline == null ? CampaignDeadline.SKIP : atDeadline)
          .mostUnhealthy(mostUnhealthy == null ? 0 : mostUnhealthy)
          .soak(soak == null ? SOAK : soak)
          .build();
    }
  }

  /** An operator's order for a campaign. */
  @Schema(name = "OrderCampaignRequest")
  record OrderCampaignRequest(
      @Schema(description = "PAUSE, RESUME or ABORT") CampaignOrder order,
      @Schema(description = "Reason for the order") @Size(min = 1, max = LONGEST_REASON)
          String reason) {}

  @Operation(
      operationId = "createCampaign",
      summary = "Start a campaign",
      description =
          "Drains the nodes, a few at a time. An empty node is READY and out of service until its"
              + " work is done. The node must then be healthy for the soak time. Nodes that are"
              + " quarantined, under repair or drained by others are postponed.")
  @ApiResponse(responseCode = "201", description = "Campaign started.", useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<CampaignResponse> create(
      Actor actor,
      @RequestBody @BodyOf(CreateCampaignRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    NewCampaign wanted = BodyBinder.bind(body, CreateCampaignRequest.class).wanted();
    Campaign made =
        commands.create(actor, wanted, options.key(FILTER, body), options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/campaigns/" + made.id().text())))
        .body(CampaignResponse.of(campaigns.view(made)));
  }

  @Operation(
      operationId = "listCampaigns",
      summary = "List campaigns",
      description = "Lists campaigns, newest first. Ended campaigns are stored for a year.")
  @GetMapping
  ResponseEntity<Page<CampaignResponse>> list(
      Actor actor,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    CampaignId before =
        tokens.position(actor, FILTER, pageToken).map(CampaignController::id).orElse(null);
    List<CampaignQueries.View> found = campaigns.list(before, size + 1);
    return tokens
        .page(actor, FILTER, size, found, one -> one.campaign().id().text())
        .map(CampaignResponse::of)
        .answer();
  }

  @Operation(
      operationId = "getCampaign",
      summary = "Read a campaign",
      description = "Returns the progress of the campaign and the condition that it waits for.")
  @GetMapping("/{campaign}")
  CampaignResponse one(@PathVariable String campaign) {
    return CampaignResponse.of(campaigns.one(id(campaign)));
  }

  @Operation(
      operationId = "listCampaignNodes",
      summary = "List the nodes of a campaign",
      description = "Lists the nodes in the order in which they are taken out of service.")
  @GetMapping("/{campaign}/nodes")
  ResponseEntity<Page<CampaignNodeView>> nodes(
      Actor actor,
      @PathVariable String campaign,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "campaign nodes " + campaign;
    int behind = tokens.position(actor, filter, pageToken).map(Integer::parseInt).orElse(-1);
    List<CampaignQueries.ListedNode> found = campaigns.nodes(id(campaign), behind, size + 1);
    return tokens
        .page(actor, filter, size, found, one -> Integer.toString(one.position()))
        .map(CampaignQueries.ListedNode::node)
        .answer();
  }

  @Operation(
      operationId = "orderCampaign",
      summary = "Pause, resume or abort a campaign",
      description =
          "PAUSE: no further node begins, and nodes already begun continue. RESUME: continues"
              + " the campaign. ABORT: cancels its drains and uncordons its nodes, including"
              + " READY nodes. A node that was cordoned before the campaign stays cordoned."
              + " Refused with ILLEGAL_STATE if the action has no effect in the current state.")
  @PostBody("/{campaign}/orders")
  CampaignResponse order(
      Actor actor,
      @PathVariable String campaign,
      WriteOptions options,
      @RequestBody OrderCampaignRequest request) {
    return CampaignResponse.of(
        campaigns.view(
            commands.order(
                actor, id(campaign), request.order(), request.reason(), options.validateOnly())));
  }

  @Operation(
      operationId = "finishCampaignNode",
      summary = "Confirm the end of work on a campaign node",
      description =
          "Returns the node to service, as an uncordon does, and starts its soak time. A"
              + " node that was cordoned before the campaign stays cordoned and is done. A node"
              + " that is UNHEALTHY because it has left its cluster is skipped. Refused with"
              + " ILLEGAL_STATE for any other node that is not READY.")
  @PostMapping("/{campaign}/nodes/{node}/done")
  CampaignNodeView done(
      Actor actor, @PathVariable String campaign, @PathVariable String node, WriteOptions options) {
    return campaigns.view(commands.done(actor, id(campaign), node, options.validateOnly()));
  }

  private static CampaignId id(String text) {
    return new CampaignId(ApiPaths.id(IdKind.CAMPAIGN, text));
  }
}
