package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.NodePage;
import dev.fairlead.fleet.cluster.service.Clusters;
import dev.fairlead.fleet.cluster.service.FleetCapacity;
import dev.fairlead.fleet.cluster.service.FleetCommands;
import dev.fairlead.fleet.cluster.service.NodeView;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.resources.GpuCatalogue;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Manages nodes, and reports the free capacity of the fleet. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Clusters")
class FleetController {
  private final Clusters clusters;
  private final FleetCommands commands;
  private final FleetCapacity capacity;
  private final PageTokens tokens;

  FleetController(
      Clusters clusters, FleetCommands commands, FleetCapacity capacity, PageTokens tokens) {
    this.clusters = clusters;
    this.commands = commands;
    this.capacity = capacity;
    this.tokens = tokens;
  }

  @Operation(
      operationId = "listNodes",
      summary = "List nodes",
      description =
          "Lists the nodes of one cluster (id or name) or of all clusters, by cluster, then name.")
  @GetMapping("/nodes")
  ResponseEntity<Page<NodeResponse>> nodes(
      Actor actor,
      @RequestParam(required = false) @Nullable String cluster,
      @RequestParam(required = false) @Nullable Set<String> nodeState,
      @RequestParam(required = false) @Nullable String model,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    Set<NodeState> states = states(nodeState);
    String filter = "nodes " + cluster + " " + states + " " + model;
    NodePage.Place after =
        tokens.position(actor, filter, pageToken).map(FleetController::place).orElse(null);
    List<NodeView> found = clusters.nodes(cluster, states, model, after, size + 1);
    List<NodeView> page = found.subList(0, Math.min(size, found.size()));
    String next =
        found.size() > size ? tokens.next(actor, filter, text(page.getLast().node())) : null;
    List<NodeResponse> items = page.stream().map(n -> NodeResponse.of(actor, n)).toList();
    return new Page<>(items, next).answer();
  }

  @Operation(
      operationId = "getNode",
      summary = "Read a node",
      description = "Takes an id, or a name that is unique among all clusters.")
  @GetMapping("/nodes/{node}")
  NodeResponse node(Actor actor, @PathVariable String node) {
    return NodeResponse.of(actor, clusters.node(node));
  }

  @Operation(
      operationId = "cordonNode",
      summary = "Cordon a node",
      description =
          "The node accepts no new jobs. Running jobs continue. If the cluster permits"
              + " it, the node is also marked unschedulable there. A repeated cordon has"
              + " no effect.")
  @PostMapping("/nodes/{node}/cordon")
  NodeResponse cordon(Actor actor, @PathVariable String node, WriteOptions options) {
    return NodeResponse.of(actor, commands.cordon(actor, node, options.validateOnly()));
  }

  @Operation(
      operationId = "uncordonNode",
      summary = "Uncordon a node",
      description =
          "Removes a cordon by Fairlead and ends a drain of the node. The node becomes"
              + " ACTIVE shortly afterwards, when its cluster reports it as schedulable. A"
              + " cordon that was set on the cluster itself remains.")
  @PostMapping("/nodes/{node}/uncordon")
  NodeResponse uncordon(Actor actor, @PathVariable String node, WriteOptions options) {
    return NodeResponse.of(actor, commands.uncordon(actor, node, options.validateOnly()));
  }

  private static Set<NodeState> states(@Nullable Set<String> given) {
    Set<NodeState> states = EnumSet.noneOf(NodeState.class);
    if (given != null) {
      given.forEach(text -> states.add(Parameters.choice("nodeState", NodeState.class, text)));
    }
    return states;
  }

  @Operation(
      operationId = "listGpuModels",
      summary = "List GPU models",
      description =
          "Lists the GPU models that Fairlead recognises by node labels, with their memory"
              + " and MIG profiles. An operator can add models. A name without a memory size is a"
              + " family: A100 matches A100-40GB and A100-80GB.")
  @GetMapping("/gpu-models")
  Page<GpuModelResponse> gpuModels() {
    return Page.whole(GpuCatalogue.models().stream().map(GpuModelResponse::of).toList());
  }

  @Operation(
      operationId = "getCapacity",
      summary = "Report the capacity of the fleet",
      description =
          "Returns one item per cluster, pool, GPU model and capacity type, without the"
              + " pools of other tenants. The data is at most two seconds old.")
  @GetMapping("/capacity")
  Page<CapacityResponse> capacity(Actor actor) {
    return Page.whole(capacity.items(actor).stream().map(CapacityResponse::of).toList());
  }

  private static String text(Node last) {
    return last.cluster().value() + " " + last.name();
  }

  private static NodePage.Place place(String position) {
    String[] parts = position.split(" ", 2);
    return new NodePage.Place(new ClusterId(UUID.fromString(parts[0])), parts[1]);
  }
}
