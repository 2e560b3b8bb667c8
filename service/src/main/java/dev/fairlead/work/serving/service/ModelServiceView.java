package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.serving.CanaryTest;
import dev.fairlead.work.serving.Idleness;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.Replica.Seen;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.Scaling;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.TrafficCount;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.signal.Signal;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A model service, as the API returns it. */
@RecordBuilder
@Schema(name = "ModelServiceResponse")
public record ModelServiceView(
    @Schema(description = "Id of the service") String id,
    @Schema(description = "Name of the service, a DNS label") String name,
    @Schema(description = "Name of the project") String project,
    @Schema(description = "Host name of its requests") String route,
    @Schema(description = "Ready replicas that a rollout leaves, and that are not preemptible")
        int minReplicas,
    @Schema(description = "Maximum number of replicas of all versions together") int maxReplicas,
    @Schema(description = "Traffic of a new version in percent, step by step") List<Integer> steps,
    @Schema(description = "Shortest duration of a step") String stepFor,
    @Schema(description = "Latency above which a response counts as bad") String slowerThan,
    @Schema(description = "Load that determines the number of replicas, or null for minReplicas")
        @Nullable ScaleView scale,
    @Schema(description = "Higher floors at certain times") List<FloorView> floors,
    @Schema(description = "Whether the service sleeps, or null if minReplicas is above 0")
        @Nullable IdleView idle,
    @Schema(description = "OPEN, or KEYS if requests need an API key of the service")
        ModelService.Access access,
    @Schema(description = "Further conditions of a rollout") List<GuardView> guards,
    @Schema(description = "Percent of the requests copied during a step of 0, or null if none")
        @Nullable Integer mirror,
    @Schema(description = "Maximum duration of a request, or null for the default of the gateway")
        @Nullable String timeout,
    @Schema(description = "Further tries of a failed request, or null if none")
        @Nullable Integer retries,
    @Schema(description = "Ready replicas that the service should have now") int wantedReplicas,
    @Schema(description = "Ready replicas of the versions on the route") int readyReplicas,
    @Schema(description = "Number of the version that receives the traffic outside of rollouts")
        int stableVersion,
    @Schema(description = "Number of the newest version") int latestVersion,
    @Schema(description = "Last rollout, open or ended, or null before the first")
        @Nullable RolloutView rollout,
    @Schema(description = "Versions with replicas") List<BackendView> backends,
    @Schema(description = "Clusters with ready replicas of versions with traffic")
        List<ClusterView> clusters,
    @Schema(description = "Replicas of all versions") List<ReplicaView> replicas,
    @Schema(description = "Whether it is removed when its replicas have ended") boolean deleting,
    @Schema(description = "Version of the settings") long version) {

  /** A further condition of a rollout. */
  @Schema(name = "ServiceGuardResponse")
  public record GuardView(
      @Schema(description = "Name of the metric") String metric,
      @Schema(description = "How the values of the replicas are combined") Signal.Function function,
      @Schema(description = "Upper limit, or null if none") @Nullable Double above,
      @Schema(description = "Lower limit, or null if none") @Nullable Double below) {
    static GuardView of(Guard guard) {
      return new GuardView(
          guard.signal().series(), guard.signal().of(), guard.above(), guard.below());
    }
  }

  /** A floor while a recurring window is open. */
  @Schema(name = "ServiceFloorResponse")
  public record FloorView(
      @Schema(description = "Start times of the window as a cron expression") String cron,
      @Schema(description = "Length of the window") String duration,
      @Schema(description = "Time zone of cron") String timezone,
      @Schema(description = "Minimum number of replicas while the window is open") int replicas,
      @Schema(description = "Whether the window is open") boolean open) {
    static FloorView of(ModelService.Floor floor, Instant now) {
      return new FloorView(
          floor.cron(),
          DurationText.of(floor.duration()),
          floor.timezone(),
          floor.replicas(),
          floor.open(now));
    }
  }

  /** Whether the service sleeps. */
  @Schema(name = "ServiceIdleResponse")
  public record IdleView(
      @Schema(description = "Time without requests after which it sleeps") String after,
      @Schema(
              description =
                  "WAKING until a replica is ready, AWAKE, CLOSING while its replicas are"
                      + " drained of traffic, or SLEEPING without replicas")
          Idleness.Phase phase,
      @Schema(description = "Begin of the phase") Instant since,
      @Schema(description = "Reason for the phase and for missing replicas") String reason,
      @Schema(description = "Last wake, or null before the first") @Nullable Instant lastWake,
      @Schema(
              description =
                  "Expected duration of a start: one and a half times the longest of the last"
                      + " ten. Null before the first start")
          @Nullable String startBudget) {
    static @Nullable IdleView of(
        ModelService service, ServiceState state, List<Seen> seen, Instant now) {
      Duration after = service.idleAfter();
      if (after == null) {
        return null;
      }
      Idleness idle =
          state.idleness() == null
              ? Idleness.unplanned(Replica.ready(state.serving(seen)) > 0, now)
              : state.idleness();
      return new IdleView(
          DurationText.of(after),
          idle.phase(),
          idle.since(),
          idle.phase() == Idleness.Phase.WAKING
              ? idle.reason() + missing(state, seen)
              : idle.reason(),
          idle.wokenAt(),
          idle.startBudget().map(DurationText::of).orElse(null));
    }
  }

  private static String missing(ServiceState state, List<Seen> seen) {
    List<Seen> waiting =
        seen.stream()
            .filter(each -> each.replica().version() == state.stable())
            .filter(each -> !each.replica().stopping() && !each.reason().isEmpty())
            .toList();
    return waiting.isEmpty()
        ? ""
        : "; %d not ready: %s".formatted(waiting.size(), waiting.getFirst().reason());
  }

  /** The load that the number of replicas follows. */
  @Schema(name = "ServiceScaleResponse")
  public record ScaleView(
      @Schema(description = "RPS, CONCURRENCY, QUEUE, KV_CACHE or LATENCY")
          LoadTarget.Metric metric,
      @Schema(description = "Load of one replica in the unit of the metric") int target,
      @Schema(description = "Time for which fewer replicas must have been sufficient")
          String downAfter,
      @Schema(description = "Load in the last minute, or null while it is unknown")
          @Nullable Double load,
      @Schema(description = "Reason for the desired number and for missing replicas")
          String reason) {
    static @Nullable ScaleView of(ModelService service, ServiceState state, List<Seen> seen) {
      LoadTarget rule = service.scale();
      Scaling scaling = state.scaling();
      return rule == null
          ? null
          : new ScaleView(
              rule.metric(),
              rule.target(),
              DurationText.of(rule.downAfter()),
              scaling == null ? null : scaling.load(),
              (scaling == null ? "no request is counted yet" : scaling.reason())
                  + missing(state, seen));
    }
  }

  /** The change from the stable version to another one. */
  @RecordBuilder
  @Schema(name = "RolloutResponse")
  public record RolloutView(
      @Schema(description = "Number of the other version") int target,
      @Schema(description = "Whether it is analysed step by step. Rollbacks and promotions are not")
          boolean judged,
      @Schema(description = "Index of the current step, from 0") int step,
      @Schema(description = "Share of traffic for the version, in percent") int share,
      @Schema(
              description =
                  "WAITING_FOR_REPLICAS, OBSERVING, WAITING_FOR_TRAFFIC with too few requests for a"
                      + " decision, PROMOTED, ROLLED_BACK or ABORTED")
          RolloutPhase phase,
      @Schema(description = "Start of the phase or of its step") Instant since,
      @Schema(description = "Reason why it is in this phase") String reason,
      @Schema(description = "Requests to the version in this rollout") long requests,
      @Schema(description = "Requests to the version in this rollout that were bad") long bad,
      @Schema(description = "Time at which a user stopped its steps, or null while they continue")
          @Nullable Instant pausedSince) {
    static RolloutView of(Rollout rollout) {
      CanaryTest test = rollout.test();
      TrafficCount count = test == null ? TrafficCount.NONE : test.canary();
      return ModelServiceViewRolloutViewBuilder.builder()
          .target(rollout.target())
          .judged(rollout.judged())
          .step(rollout.step())
          .share(rollout.share())
          .phase(rollout.phase())
          .since(rollout.since())
          .reason(rollout.reason())
          .requests(count.requests())
          .bad(count.bad())
          .pausedSince(rollout.pause() == null ? null : rollout.pause().since())
          .build();
    }
  }

  /** A version with replicas. */
  @Schema(name = "ServiceBackendResponse")
  public record BackendView(
      @Schema(description = "Number of the version") int version,
      @Schema(description = "Share of the traffic in percent") int weight,
      @Schema(description = "Number of ready replicas") int ready,
      @Schema(description = "Number of replicas") int replicas,
      @Schema(description = "Answered requests") long requests,
      @Schema(description = "Requests answered with a status of 500 or more, or too slowly")
          long bad) {}

  /** A cluster with a share of the traffic. */
  @Schema(name = "ServiceClusterResponse")
  public record ClusterView(
      @Schema(description = "Name of the cluster") String name,
      @Schema(
              description =
                  "Percent of the traffic that its gateway should get, in proportion to the ready"
                      + " replicas")
          int share) {}

  /** One replica. */
  @Schema(name = "ServiceReplicaResponse")
  public record ReplicaView(
      @Schema(description = "Number of the version") int version,
      @Schema(description = "Number of the replica within its version") int number,
      @Schema(description = "Id of its job, or null before it is submitted") @Nullable String job,
      @Schema(description = "READY, WAITING or ENDED") Replica.Condition condition,
      @Schema(description = "Whether it is being removed") boolean stopping,
      @Schema(description = "Number of its earlier jobs that have ended") int restarts,
      @Schema(description = "Reason why it is not ready, empty when it is") String reason) {
    static ReplicaView of(Seen seen) {
      Replica replica = seen.replica();
      JobId job = replica.job();
      return new ReplicaView(
          replica.version(),
          replica.ordinal(),
          job == null ? null : job.text(),
          seen.condition(),
          replica.stopping(),
          replica.restarts(),
          seen.reason());
    }
  }

  static ModelServiceView of(
      ConfigDocument<ModelService> document,
      ServiceState state,
      ReplicaWatch.Look look,
      Instant now) {
    ModelService service = document.value();
    Rollout rollout = state.rollout();
    return ModelServiceViewBuilder.builder()
        .id(service.id().text())
        .name(service.name())
        .project(service.project())
        .route(service.route())
        .minReplicas(service.minReplicas())
        .maxReplicas(service.maxReplicas())
        .steps(service.steps())
        .stepFor(DurationText.of(service.stepFor()))
        .slowerThan(DurationText.of(service.slowerThan()))
        .scale(ScaleView.of(service, state, look.seen()))
        .floors(service.floors().stream().map(each -> FloorView.of(each, now)).toList())
        .idle(IdleView.of(service, state, look.seen(), now))
        .access(service.access())
        .guards(service.guards().stream().map(GuardView::of).toList())
        .mirror(service.options().mirror())
        .timeout(
            service.options().timeout() == null
                ? null
                : DurationText.of(service.options().timeout()))
        .retries(service.options().retries())
        .wantedReplicas(state.wanted(service.at(now)))
        .readyReplicas(Replica.ready(state.serving(look.seen())))
        .stableVersion(state.stable())
        .latestVersion(state.latest())
        .rollout(rollout == null ? null : RolloutView.of(rollout))
        .backends(backends(state, look))
        .clusters(
            state.shares().entrySet().stream()
                .map(each -> new ClusterView(each.getKey(), each.getValue()))
                .toList())
        .replicas(look.seen().stream().map(ReplicaView::of).toList())
        .deleting(state.deleting())
        .version(document.version())
        .build();
  }

  private static List<BackendView> backends(ServiceState state, ReplicaWatch.Look look) {
    Set<Integer> versions = new TreeSet<>();
    look.seen().forEach(each -> versions.add(each.replica().version()));
    return versions.stream()
        .map(version -> {
          List<Seen> own =
              look.seen().stream().filter(each -> each.replica().version() == version).toList();
          ServiceTraffic traffic = look.traffic().get(version);
          TrafficCount count = traffic == null ? TrafficCount.NONE : traffic.count();
          return new BackendView(
              version,
              state.weights().getOrDefault(version, 0),
              Replica.ready(own),
              own.size(),
              count.requests(),
              count.bad());
        })
        .toList();
  }
}
