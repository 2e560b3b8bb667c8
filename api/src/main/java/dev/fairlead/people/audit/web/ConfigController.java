package dev.fairlead.people.audit.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigVersion;
import dev.fairlead.people.audit.service.ConfigCommands;
import dev.fairlead.people.audit.service.ConfigQueries;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Returns the history of the configuration, and reverts changes. */
@ApiController(ApiPaths.ROOT + "/config/history")
@Tag(name = "Audit")
class ConfigController {
  /** Number of versions on a page. A version can be as large as two request bodies. */
  private static final int MOST = 50;

  private final ConfigQueries queries;
  private final ConfigCommands commands;
  private final PageTokens tokens;

  ConfigController(ConfigQueries queries, ConfigCommands commands, PageTokens tokens) {
    this.queries = queries;
    this.commands = commands;
    this.tokens = tokens;
  }

  @Operation(
      operationId = "listConfigHistory",
      summary = "List changes of the configuration",
      description =
          "Lists changes of queues and quotas, pools, prices, idle cost policies, budgets,"
              + " limits, licences, usage labels, rules for faults, projects and tenants that were"
              + " made from the tenant, newest first, each with its differences. The newest 500 of"
              + " a name are stored. A page has at most 50. Available to administrators and"
              + " auditors. Owners of the tenant see the list without pools, tenants and fleet"
              + " quotas.")
  @GetMapping
  ResponseEntity<Page<ConfigVersionResponse>> list(
      Actor caller,
      @Parameter(
              description =
                  "BUDGET, FLEET_QUOTA, HEALTH_RULE, IDLE_COST, LICENCE, LIMITS, POOL, PRICE,"
                      + " PROJECT, QUEUE, TENANT or USAGE_LABELS.")
          @RequestParam(required = false)
          @Nullable String kind,
      @Parameter(
              description =
                  "Name of the changed object. For a price its id, and for limits their owner.")
          @RequestParam(required = false)
          @Nullable String name,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Math.min(MOST, Parameters.pageSize(pageSize));
    ConfigKind wanted = kind == null ? null : Parameters.choice("kind", ConfigKind.class, kind);
    String filter = "config " + kind + " " + name;
    long before =
        tokens.position(caller, filter, pageToken).map(Long::parseLong).orElse(Long.MAX_VALUE);
    List<ConfigVersion> found = queries.newest(caller, wanted, name, before, size + 1);
    return tokens
        .page(caller, filter, size, found, one -> Long.toString(one.version()))
        .map(ConfigVersionResponse::of)
        .answer();
  }

  @Operation(
      operationId = "getConfigVersion",
      summary = "Read a change of the configuration",
      description =
          "Returns the change with the stored documents before and after it. Available to"
              + " administrators and auditors. For owners of the tenant, a change of a pool, a"
              + " tenant or a fleet quota is not found.")
  @GetMapping("/{version}")
  ConfigDocumentsResponse version(
      Actor caller,
      @Parameter(description = "Position of the change in the list.") @PathVariable long version) {
    return ConfigDocumentsResponse.of(queries.version(caller, version));
  }

  @Operation(
      operationId = "revertConfigVersion",
      summary = "Revert a change of the configuration",
      description =
          "Restores the previous values as a new change, with the permission and the checks"
              + " of the operation that made the change. Refused with the later versions if the"
              + " object has changed since, unless force is set. A created object is not deleted,"
              + " a deleted object is not restored, and prices never change.")
  @PostMapping("/{version}/revert")
  RevertResponse revert(
      Actor caller,
      @Parameter(description = "Position of the change in the list.") @PathVariable long version,
      @Parameter(description = "Whether to revert the change even if the object has changed since.")
          @RequestParam(defaultValue = "false")
          boolean force,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    ConfigVersion made = commands.revert(caller, version, force, options.validateOnly());
    return RevertResponse.of(made, version, !options.validateOnly());
  }
}
