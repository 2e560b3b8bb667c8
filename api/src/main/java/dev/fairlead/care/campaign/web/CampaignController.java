package dev.fairlead.care.campaign.web;

import dev.fairlead.care.campaign.Campaign;
import dev.fairlead.care.campaign.CampaignDeadline;
import dev.fairlead.care.campaign.CampaignId;
import dev.fairlead.care.campaign.CampaignOrder;
import dev.fairlead.care.campaign.service.CampaignCommands;
import dev.fairlead.care.campaign.service.CampaignDraft;
import dev.fairlead.care.campaign.service.CampaignQueries;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyConverter;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
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
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Maintenance of many nodes, some at a time. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/campaigns",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Operations")
class CampaignController {
  private static final String FILTER = "campaigns";
  private final CampaignCommands commands;
  private final CampaignQueries campaigns;
  private final PageTokens tokens;

  CampaignController(CampaignCommands commands, CampaignQueries campaigns, PageTokens tokens) {
    this.commands = commands;
    this.campaigns = campaigns;
    this.tokens = tokens;
  }

  /**
   * A campaign. Its nodes are those that are of the cluster, the pool and the names that are given;
   * one of the three has to be.
   *
   * @param name 1 to 63 characters
   * @param reason 1 to 500 characters
   * @param cluster id or name
   * @param pool name of a pool
   * @param nodes at most 10,000 ids or names
   * @param atOnce nodes that may be out of use at a time, 1 to 500; or percentAtOnce
   * @param percentAtOnce the same as a share of its nodes, 1 to 100
   * @param drainWithin how long the drain of a node may take, 1m to 366d; any time when absent
   * @param atDeadline what happens to a node that is not empty then; SKIP when absent
   * @param mostUnhealthy no more nodes begin while more than so many came back out of order; 0 when
   *     absent
   * @param soak how long a node that came back has to be in order; 10m when absent
   */
  @Schema(name = "CreateCampaignRequest")
  record CreateCampaignRequest(
      String name,
      String reason,
      @Nullable String cluster,
      @Nullable String pool,
      @Nullable List<String> nodes,
      @Nullable Integer atOnce,
      @Nullable Integer percentAtOnce,
      @Nullable String drainWithin,
      @Nullable CampaignDeadline atDeadline,
      @Nullable Integer mostUnhealthy,
      @Nullable String soak) {}

  /**
   * What an operator says of a campaign.
   *
   * @param reason 1 to 500 characters
   */
  @Schema(name = "OrderCampaignRequest")
  record OrderCampaignRequest(CampaignOrder order, String reason) {}

  @Operation(
      operationId = "createCampaign",
      summary = "Begin a campaign",
      description =
          "Drains its nodes in batches. An empty node is READY and stays out of service until it is marked as done. It must "
              + "then stay healthy for the soak time. Nodes that are quarantined, under repair or drained by another operation "
              + "are retried later.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = CreateCampaignRequest.class))))
  @ApiResponse(responseCode = "201", description = "Begun.", useReturnTypeSchema = true)
  @PostMapping(consumes = {MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  ResponseEntity<CampaignResponse> create(
      Actor actor,
      @RequestBody Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    FieldProblems problems = new FieldProblems();
    CampaignDraft draft = CampaignReader.read(body.fields(problems));
    problems.refuse();
    Campaign made =
        commands.create(actor, draft, options.key(FILTER, body), options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/campaigns/" + made.id().text())))
        .body(CampaignResponse.of(campaigns.view(made)));
  }

  @Operation(
      operationId = "listCampaigns",
      summary = "List campaigns",
      description = "Newest first; ended ones stay for a year.")
  @GetMapping
  ResponseEntity<Page<CampaignResponse>> list(
      Actor actor,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    CampaignId before =
        tokens.position(actor, FILTER, pageToken).map(CampaignController::id).orElse(null);
    List<CampaignQueries.View> found = campaigns.list(before, size + 1);
    List<CampaignQueries.View> page = found.subList(0, Math.min(size, found.size()));
    String next =
        found.size() > size
            ? tokens.next(actor, FILTER, page.getLast().campaign().id().text())
            : null;
    return new Page<>(page.stream().map(CampaignResponse::of).toList(), next).answer();
  }

  @Operation(
      operationId = "getCampaign",
      summary = "Read a campaign",
      description = "Reports the progress and the current wait.")
  @GetMapping("/{campaign}")
  CampaignResponse one(@PathVariable String campaign) {
    return CampaignResponse.of(campaigns.one(id(campaign)));
  }

  @Operation(
      operationId = "listCampaignNodes",
      summary = "List the nodes of a campaign",
      description = "In the order of their turns.")
  @GetMapping("/{campaign}/nodes")
  ResponseEntity<Page<CampaignNodeResponse>> nodes(
      Actor actor,
      @PathVariable String campaign,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "campaign nodes " + campaign;
    int behind = tokens.position(actor, filter, pageToken).map(Integer::parseInt).orElse(-1);
    List<CampaignQueries.NodeView> found = campaigns.nodes(id(campaign), behind, size + 1);
    List<CampaignQueries.NodeView> page = found.subList(0, Math.min(size, found.size()));
    String next =
        found.size() > size
            ? tokens.next(actor, filter, Integer.toString(page.getLast().node().position()))
            : null;
    return new Page<>(page.stream().map(CampaignNodeResponse::of).toList(), next).answer();
  }

  @Operation(
      operationId = "orderCampaign",
      summary = "Pause, resume or abort a campaign",
      description =
          "PAUSE starts no more nodes; nodes in progress continue. RESUME continues the campaign. ABORT cancels its drains "
              + "and uncordons its nodes, including READY ones; nodes that were cordoned before stay cordoned. Refused with "
              + "ILLEGAL_STATE if the order has no effect.",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content = @Content(schema = @Schema(implementation = OrderCampaignRequest.class))))
  @PostMapping(
      path = "/{campaign}/orders",
      consumes = {MediaType.APPLICATION_JSON_VALUE, BodyConverter.YAML})
  CampaignResponse order(
      Actor actor, @PathVariable String campaign, WriteOptions options, @RequestBody Body body) {
    FieldProblems problems = new FieldProblems();
    Fields fields = body.fields(problems);
    Optional<CampaignOrder> order =
        fields
            .required("order", "PAUSE, RESUME or ABORT.")
            .flatMap(v -> v.choice(CampaignOrder.class));
    Optional<String> reason = CampaignReader.reason(fields);
    fields.done();
    problems.refuse();
    return CampaignResponse.of(
        campaigns.view(
            commands.order(
                actor,
                id(campaign),
                order.orElseThrow(),
                reason.orElseThrow(),
                options.validateOnly())));
  }

  @Operation(
      operationId = "finishCampaignNode",
      summary = "Say that the work on a node of a campaign is done",
      description =
          "Uncordons the node and starts its soak. A node that was cordoned before the campaign stays cordoned and is "
              + "complete. A node that is UNHEALTHY because it left its cluster is skipped. Refused with ILLEGAL_STATE for any "
              + "other node that is not READY.")
  @PostMapping("/{campaign}/nodes/{node}/done")
  CampaignNodeResponse done(
      Actor actor, @PathVariable String campaign, @PathVariable String node, WriteOptions options) {
    return CampaignNodeResponse.of(
        campaigns.view(commands.done(actor, id(campaign), node, options.validateOnly())));
  }

  private static CampaignId id(String text) {
    return new CampaignId(ApiPaths.id(IdKind.CAMPAIGN, text));
  }
}
