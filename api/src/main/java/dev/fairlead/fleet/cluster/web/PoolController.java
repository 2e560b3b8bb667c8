package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.service.PoolCommands;
import dev.fairlead.fleet.cluster.service.PoolSpec;
import dev.fairlead.fleet.cluster.service.PoolView;
import dev.fairlead.fleet.cluster.service.Pools;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.util.Optional;
import java.util.SortedMap;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Manages pools: named sets of nodes. */
@ApiController(ApiPaths.ROOT + "/pools")
@Tag(name = "Pools")
class PoolController {
  private static final int MOST_OPENINGS = 100;

  private final Pools pools;
  private final PoolCommands commands;

  PoolController(Pools pools, PoolCommands commands) {
    this.pools = pools;
    this.commands = commands;
  }

  @Operation(
      operationId = "listPools",
      summary = "List pools",
      description =
          "Lists shared pools and the pools of the caller's tenant by name. Platform roles see"
              + " all pools.")
  @GetMapping
  Page<PoolResponse> all(Actor actor) {
    return Page.whole(pools.all(actor).stream().map(PoolResponse::of).toList());
  }

  @Operation(
      operationId = "getPool",
      summary = "Read a pool",
      description = "Takes an id or a name. A change requires the returned ETag.")
  @GetMapping("/{pool}")
  ResponseEntity<PoolResponse> one(Actor actor, @PathVariable String pool) {
    return tagged(pools.named(actor, pool));
  }

  @Operation(
      operationId = "listPoolWindows",
      summary = "List the next openings of a pool",
      description =
          "Lists at most 100 openings of its windows. An opening in progress is listed with the"
              + " current time as its start. Empty for a pool without windows, which is always"
              + " open.")
  @GetMapping("/{pool}/windows")
  Page<OpeningResponse> windows(
      Actor actor,
      @PathVariable String pool,
      @Parameter(description = "Maximum number of openings, 1 to 100")
          @RequestParam(defaultValue = "10")
          int next) {
    if (next < 1 || next > MOST_OPENINGS) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER, "next must be from 1 to 100, not " + next + ".");
    }
    return Page.whole(pools.openings(actor, pool, next).stream().map(OpeningResponse::of).toList());
  }

  @Operation(
      operationId = "createPool",
      summary = "Create a pool",
      description =
          "Creates a named set of nodes by clusters, GPU models and labels. With a tenant,"
              + " its nodes accept only jobs of that tenant. A node belongs to one pool. If"
              + " several pools match, owned pools take precedence over shared pools,"
              + " and older pools over newer ones. Running jobs continue.")
  @ApiResponse(responseCode = "201", description = "Pool created.", useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<PoolResponse> create(
      Actor actor,
      @RequestBody @BodyOf(PoolRequests.Create.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    PoolRequests.Create request = BodyBinder.bind(body, PoolRequests.Create.class);
    PoolView made =
        commands.create(actor, request.spec(), options.key("pools", body), options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/pools/" + made.pool().id().text())))
        .eTag(Etags.of(made.pool().version()))
        .body(PoolResponse.of(made));
  }

  @Operation(
      operationId = "updatePool",
      summary = "Change a pool",
      description =
          "JSON Merge Patch (RFC 7396) of selector, tenant, windows and description. The"
              + " name of a pool cannot be changed. Requires If-Match. Running jobs continue, even"
              + " on nodes that leave the pool.")
  @PatchBody("/{pool}")
  ResponseEntity<PoolResponse> update(
      Actor actor,
      @PathVariable String pool,
      @RequestBody @BodyOf(PoolRequests.Update.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    PoolView now = pools.named(actor, pool);
    long expected = options.expected(() -> now.pool().version());
    PoolSpec spec = patched(now, body).spec(now.pool().name());
    return tagged(commands.update(actor, pool, spec, expected, options.validateOnly()));
  }

  private static PoolRequests.Update patched(PoolView now, Body body) {
    FieldProblems problems = new FieldProblems();
    Fields patch = body.fields(problems);
    SortedMap<String, Object> stored = PoolResponse.toRequest(now);
    PoolWindowFields.prepare(now.pool().windows(), patch, stored);
    Value merged = body.appliedTo(stored).value(problems);
    PoolWindowFields.checkAlone(patch, merged.fields().orElseThrow().has("windows"));
    Optional<PoolRequests.Update> request = BodyBinder.read(merged, PoolRequests.Update.class);
    problems.refuse();
    return request.orElseThrow();
  }

  @Operation(
      operationId = "deletePool",
      summary = "Delete a pool",
      description =
          "Its nodes move to the next pool that selects them, or belong to no pool. Jobs that"
              + " name it wait. Requires If-Match.")
  @ApiResponse(responseCode = "204", description = "Pool deleted.")
  @DeleteMapping("/{pool}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String pool,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    long expected = options.expected(() -> pools.named(actor, pool).pool().version());
    commands.delete(actor, pool, expected, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private static ResponseEntity<PoolResponse> tagged(PoolView view) {
    return ResponseEntity.ok().eTag(Etags.of(view.pool().version())).body(PoolResponse.of(view));
  }
}
