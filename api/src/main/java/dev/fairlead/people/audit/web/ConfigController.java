package dev.fairlead.people.audit.web;

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
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What the configuration was, which changes made it so, and the way back. */
@RestController
@RequestMapping(
    path = ApiPaths.ROOT + "/config/history",
    version = ApiPaths.V1,
    produces = MediaType.APPLICATION_JSON_VALUE)
@Tag(name = "Audit")
class ConfigController {
  /** Versions of one page: each may be as large as what two requests set. */
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
      summary = "Read the history of the configuration",
      description =
          "Lists changes made in the tenant to queues and quotas, pools, prices, idle-cost policies, budgets, limits, "
              + "licences, usage labels, fault rules, projects and tenants, newest first, each with the changed fields. The "
              + "newest 500 changes per name are retained. A page has at most 50. For administrators and auditors; owners of the "
              + "tenant do not see changes to pools, tenants and quotas between tenants.")
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
                  "Name of the changed resource; the id for a price, the owner's name for limits.")
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
    List<ConfigVersion> page = found.subList(0, Math.min(size, found.size()));
    String next =
        found.size() > size
            ? tokens.next(caller, filter, Long.toString(page.getLast().version()))
            : null;
    return new Page<>(page.stream().map(ConfigVersionResponse::of).toList(), next).answer();
  }

  @Operation(
      operationId = "getConfigVersion",
      summary = "Read one change of the configuration",
      description =
          "Returns the change with the full documents before and after it, as stored. For administrators and auditors; "
              + "owners of the tenant cannot read changes to a pool, a tenant or a quota between tenants.")
  @GetMapping("/{version}")
  ConfigDocumentsResponse version(
      Actor caller,
      @Parameter(description = "Number of the change, as the list has it.") @PathVariable
          long version) {
    return ConfigDocumentsResponse.of(queries.version(caller, version));
  }

  @Operation(
      operationId = "revertConfigVersion",
      summary = "Take a change of the configuration back",
      description =
          "Restores the previous state as a new change, with the permission and the checks of the original operation. "
              + "Refused if the resource changed since then, with the later versions, unless force is given. Created resources "
              + "are not deleted and deleted ones are not recreated; prices never change.")
  @PostMapping("/{version}/revert")
  RevertResponse revert(
      Actor caller,
      @Parameter(description = "Number of the change, as the list has it.") @PathVariable
          long version,
      @Parameter(description = "Also when it was changed since.")
          @RequestParam(defaultValue = "false")
          boolean force,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    ConfigVersion made = commands.revert(caller, version, force, options.validateOnly());
    return RevertResponse.of(made, version, !options.validateOnly());
  }
}
