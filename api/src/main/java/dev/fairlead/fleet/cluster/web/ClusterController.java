package dev.fairlead.fleet.cluster.web;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.service.ClusterChange;
import dev.fairlead.fleet.cluster.service.ClusterChanges;
import dev.fairlead.fleet.cluster.service.ClusterReadModel;
import dev.fairlead.fleet.cluster.service.Clusters;
import dev.fairlead.fleet.cluster.service.FleetCommands;
import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.problem.FieldProblem;
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
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Registers, reads and changes clusters. */
@ApiController(ApiPaths.ROOT + "/clusters")
@Tag(name = "Clusters")
class ClusterController {
  /** Paths in the generated kubeconfig of a connection, and the corresponding request fields. */
  private static final Map<String, String> PARTS =
      Map.of(
          "/kubeconfig/clusters/0/cluster/server", "/connection/server",
          "/kubeconfig/clusters/0/cluster/certificate-authority-data", "/connection/caData",
          "/kubeconfig/users/0/user/token", "/connection/token",
          "/kubeconfig/users/0/user/client-certificate-data", "/connection/clientCertificateData",
          "/kubeconfig/users/0/user/client-key-data", "/connection/clientKeyData");

  private final Clusters clusters;
  private final FleetCommands commands;
  private final ClusterChanges changes;

  ClusterController(Clusters clusters, FleetCommands commands, ClusterChanges changes) {
    this.clusters = clusters;
    this.commands = commands;
    this.changes = changes;
  }

  @Operation(
      operationId = "listClusters",
      summary = "List clusters",
      description = "Lists all clusters by name.")
  @GetMapping
  Page<ClusterResponse> all() {
    return Page.whole(clusters.all().stream().map(ClusterResponse::of).toList());
  }

  @Operation(
      operationId = "getCluster",
      summary = "Read a cluster",
      description = "Takes an id or a name. A change requires the returned ETag.")
  @GetMapping("/{cluster}")
  ResponseEntity<ClusterResponse> one(@PathVariable String cluster) {
    return tagged(clusters.named(cluster));
  }

  @Operation(
      operationId = "updateCluster",
      summary = "Change a cluster",
      description =
          "JSON Merge Patch of the registration, including credentials, and of the state. ACTIVE"
              + " returns the cluster to service, DRAINING accepts no new jobs and lets running"
              + " jobs continue, and DISABLED ends supervision, so running jobs continue"
              + " unobserved. DISABLED is refused with ILLEGAL_STATE while node requests are"
              + " open there. With force, these nodes are neither requested nor returned any"
              + " more. A connection to another server is refused with ILLEGAL_STATE while"
              + " attempts run there. While the cluster has front Jobs or volumes, another"
              + " server requires force, which confirms that it is the same cluster at another"
              + " address. The same applies if the stored connection cannot be decrypted because"
              + " its key is lost. New connection settings take effect within seconds.")
  @PatchBody("/{cluster}")
  ResponseEntity<ClusterResponse> update(
      Actor actor,
      @PathVariable String cluster,
      @RequestBody @BodyOf(UpdateClusterRequest.class) Body body,
      @Parameter(
              description =
                  "Whether to disable the cluster even while requests for nodes are open"
                      + " there, to accept another server while the cluster has front Jobs or"
                      + " volumes, and to accept a connection while attempts run if the stored one"
                      + " cannot be decrypted.")
          @RequestParam(defaultValue = "false")
          boolean force,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Cluster now = clusters.found(cluster);
    long expected = options.expected(now::version);
    ClusterChange change = ClusterPatch.read(now, body);
    return tagged(
        checked(
            change.connection() != null,
            () -> changes.update(actor, cluster, change, expected, force, options.validateOnly())));
  }

  @Operation(
      operationId = "cordonCluster",
      summary = "Cordon a cluster",
      description =
          "The cluster accepts no new jobs, and running jobs continue: its state is" + " DRAINING.")
  @PostMapping("/{cluster}/cordon")
  ResponseEntity<ClusterResponse> cordon(
      Actor actor, @PathVariable String cluster, WriteOptions options) {
    return tagged(commands.move(actor, cluster, ClusterEvent.DRAIN, options.validateOnly()));
  }

  @Operation(
      operationId = "uncordonCluster",
      summary = "Uncordon a cluster",
      description = "Returns the cluster to service, even from DISABLED, and ends a drain of it.")
  @PostMapping("/{cluster}/uncordon")
  ResponseEntity<ClusterResponse> uncordon(
      Actor actor, @PathVariable String cluster, WriteOptions options) {
    return tagged(commands.move(actor, cluster, ClusterEvent.ENABLE, options.validateOnly()));
  }

  private static ResponseEntity<ClusterResponse> tagged(ClusterReadModel view) {
    return ResponseEntity.ok()
        .eTag(Etags.of(view.cluster().version()))
        .body(ClusterResponse.of(view));
  }

  @Operation(
      operationId = "registerCluster",
      summary = "Register a cluster",
      description =
          "Registers a Kubernetes cluster by kubeconfig or connection, a Slurm cluster by its"
              + " connection, or a simulated cluster by its fleet. Only server, CA, token and"
              + " client certificate of a kubeconfig are read. Fields that run a program or open a"
              + " file are refused. The cluster is UNREACHABLE until its supervisor has contacted"
              + " it.")
  @ApiResponse(
      responseCode = "201",
      description = "Cluster registered.",
      useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<ClusterResponse> register(
      Actor actor,
      @RequestBody @BodyOf(RegisterClusterRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    RequestKey key = options.key("clusters", body);
    RegisterClusterRequest request = BodyBinder.bind(body, RegisterClusterRequest.class);
    ClusterReadModel made =
        checked(
            request.connection() != null,
            () -> clusters.register(actor, request.wanted(), key, options.validateOnly()));
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/clusters/" + made.cluster().id().text())))
        .body(ClusterResponse.of(made));
  }

  private static ClusterReadModel checked(
      boolean inParts, Supplier<ClusterReadModel> registration) {
    try {
      return registration.get();
    } catch (Refusal refusal) {
      throw inParts ? atItsPart(refusal) : refusal;
    }
  }

  private static Refusal atItsPart(Refusal refusal) {
    List<FieldProblem> moved =
        refusal.problems().stream()
            .map(p -> new FieldProblem(part(p.pointer()), p.code(), p.detail(), p.suggestion()))
            .toList();
    return new Refusal(
        refusal.code(), String.valueOf(refusal.getMessage()), moved, refusal.numbers());
  }

  private static String part(String pointer) {
    boolean inside = pointer.startsWith("/kubeconfig");
    return PARTS.getOrDefault(pointer, inside ? "/connection" : pointer);
  }
}
