package dev.fairlead.front;

import dev.fairlead.work.serving.OwnedService;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The conditions of a ModelService. */
final class ServiceStatuses {
  /** Maximum length of a message, in characters. */
  private static final int LONGEST = 4000;

  private ServiceStatuses() {}

  /** State of a service: the condition that holds. The other conditions are false. */
  private enum State {
    READY,
    RECONCILING,
    STALLED
  }

  private record Told(State state, String reason, String message) {}

  /** Status of a ModelService with an applied spec. */
  static ServiceStatus of(ServiceStatus before, OwnedService service, Instant now) {
    return told(before, service, told(service, now), now);
  }

  /**
   * Status of a ModelService with a spec that is not applied.
   *
   * @param service that runs with an earlier spec, null if none
   */
  static ServiceStatus of(
      ServiceStatus before, @Nullable OwnedService service, ServiceProblem problem, Instant now) {
    State state = problem.stalled() ? State.STALLED : State.RECONCILING;
    return told(before, service, new Told(state, problem.reason(), problem.message()), now);
  }

  private static ServiceStatus told(
      ServiceStatus before, @Nullable OwnedService service, Told told, Instant now) {
    String message = cut(told.message());
    Instant second = now.truncatedTo(ChronoUnit.SECONDS);
    return before.next(
        service == null ? null : ServiceStatus.Serving.of(service, now),
        List.of(
            FrontCondition.of(
                ServiceStatus.READY, told.state() == State.READY, told.reason(), message, second),
            FrontCondition.of(
                ServiceStatus.RECONCILING,
                told.state() == State.RECONCILING,
                told.reason(),
                message,
                second),
            FrontCondition.of(
                ServiceStatus.STALLED,
                told.state() == State.STALLED,
                told.reason(),
                message,
                second)));
  }

  /** Cuts no character in two, because an API server would store another text. */
  private static String cut(String text) {
    if (text.length() <= LONGEST) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
    return text.substring(0, end);
  }

  private static Told told(OwnedService service, Instant now) {
    ServiceState state = service.state();
    if (state.deleting()) {
      return new Told(
          State.RECONCILING,
          "Deleting",
          "The service is deleted when its %d replicas have ended"
              .formatted(state.replicas().size()));
    }
    Rollout rollout = state.rollout();
    if (rollout != null && rollout.open()) {
      return open(rollout);
    }
    if (state.stable() != state.latest()) {
      return returned(state, rollout);
    }
    int wanted = service.wanted(now);
    if (wanted == 0) {
      return new Told(State.READY, "Sleeping", "The service sleeps until its next request");
    }
    String count = "%d of %d replicas are ready".formatted(service.ready(), wanted);
    boolean enough = service.ready() >= wanted;
    if (enough && state.weights().getOrDefault(state.stable(), 0) == 0) {
      return new Told(
          State.RECONCILING, "WaitingForRoute", count + ", and the route has no traffic yet");
    }
    if (enough) {
      return new Told(State.READY, "Serving", count);
    }
    String obstacle = service.obstacle();
    return new Told(
        State.RECONCILING,
        "WaitingForReplicas",
        obstacle.isEmpty() ? count : count + ": " + obstacle);
  }

  /**
   * The message has no counts of requests. They change every two seconds, and each change of the
   * message is a write to the cluster.
   */
  private static Told open(Rollout rollout) {
    String share =
        "Version %d gets %d %% of the traffic".formatted(rollout.target(), rollout.share());
    String message =
        switch (rollout.phase()) {
          case WAITING_FOR_REPLICAS -> share + ". It waits for replicas: " + rollout.reason();
          case WAITING_FOR_TRAFFIC ->
              share + ", too little for a decision. Send more requests, or promote the version";
          default -> share;
        };
    return new Told(State.RECONCILING, camelCase(rollout.phase()), message);
  }

  private static Told returned(ServiceState state, @Nullable Rollout rollout) {
    String reason = "RolledBack";
    String why = "";
    if (rollout != null && rollout.target() == state.latest()) {
      reason = camelCase(rollout.phase());
      why = ": " + rollout.reason();
    }
    return new Told(
        State.STALLED,
        reason,
        "Version %d has all traffic, and version %d of the spec has none%s. Change the spec for a new version"
            .formatted(state.stable(), state.latest(), why));
  }

  /** Formats a phase as the reason of a condition: {@code RolledBack}. */
  private static String camelCase(RolloutPhase phase) {
    StringBuilder reason = new StringBuilder();
    for (String word : phase.name().split("_", -1)) {
      reason.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return reason.toString();
  }
}
