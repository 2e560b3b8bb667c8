package dev.fairlead.verify.simulation.serving;

import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.Rollout;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.RolloutOrder;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Owners of two model services: one with a fixed number of replicas and one scaled by its load.
 * They apply good and bad versions, promote, abort, pause, resume, skip steps and roll back.
 */
public final class ServiceOwners {
  private static final List<String> NAMES = List.of("chat", "embed");
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration REMAIN = Duration.ofMinutes(16);
  private static final Duration RETURN = Duration.ofMinutes(10);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final int floor;
  private final List<Owner> owners = new ArrayList<>();
  private boolean ordering = true;

  /** Operations of a process. */
  private record Owner(ProcessLife life, ModelServices services) {}

  ServiceOwners(RandomGenerator chance, VirtualTime time, DurableState durable, int floor) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.floor = floor;
  }

  void begin() {
    NAMES.forEach(this::later);
  }

  /** Adds the operations of a process, which are tried first. */
  void use(ProcessLife life, ModelServices services) {
    owners.addFirst(new Owner(life, services));
  }

  private void later(String name) {
    time.in(
        time.between(Duration.ofSeconds(5), Duration.ofMinutes(2)),
        "owner of " + name,
        () -> {
          if (ordering) {
            order(name);
            later(name);
          }
        });
  }

  private ModelServices.Name named(String name) {
    return new ModelServices.Name(durable.world().project().name(), name);
  }

  private @Nullable ServiceState state(String name) {
    return durable.stores().services().all().stream()
        .filter(each -> each.document().endsWith("/" + name))
        .findFirst()
        .orElse(null);
  }

  /** Applies a version, or gives an order that the current state permits or refuses. */
  private void order(String name) {
    ServiceState state = state(name);
    int latest = state == null ? 0 : state.latest();
    int one = chance.nextInt(11);
    if (state == null || one < 4) {
      apply(name, latest + 1);
    } else if (one < 6) {
      asked(
          name,
          services ->
              services.order(durable.actor(), RolloutOrder.PROMOTE, named(name), latest, false));
    } else if (one == 6) {
      asked(
          name,
          services ->
              services.order(durable.actor(), RolloutOrder.ABORT, named(name), latest, false));
    } else if (one == 7) {
      back(name, 1 + chance.nextInt(latest));
    } else if (one == 10) {
      int share = state.rollout() == null ? 0 : state.rollout().share();
      asked(
          name,
          services ->
              services.order(
                  durable.actor(), RolloutOrder.skip(share), named(name), latest, false));
    } else {
      boolean paused = state.pause().isPresent();
      RolloutOrder order = paused ? RolloutOrder.RESUME : RolloutOrder.PAUSE;
      asked(name, services -> services.order(durable.actor(), order, named(name), latest, false));
    }
  }

  private void back(String name, int version) {
    asked(name, services -> services.rollback(durable.actor(), named(name), version, false));
  }

  private void apply(String name, int version) {
    boolean byLoad = name.equals(NAMES.getLast());
    Specs job =
        Specs.job("")
            .gpus(1)
            .run("v" + version)
            .annotation(
                "sim.fairlead.dev/requests", byLoad ? "60, 200 after 4m, 40 after 12m" : "200");
    if (version > 1 && chance.nextInt(3) == 0) {
      job.annotation("sim.fairlead.dev/error-percent", "30");
    }
    AppliedService request =
        new AppliedService(
            name + ".example",
            new AppliedService.Scale(
                floor,
                floor + 1 + chance.nextInt(byLoad ? 4 : 2),
                byLoad ? new LoadTarget(LoadTarget.Metric.RPS, 40, Duration.ofMinutes(2)) : null,
                List.of(),
                null),
            List.of(50, 100),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            job.build(),
            ServiceVersion.Endpoint.DEFAULT,
            ModelService.Access.OPEN,
            List.of(),
            RouteOptions.NONE);
    asked(name, services -> services.put(durable.actor(), named(name), request, null, false));
  }

  /** An order without an answer is repeated. */
  void asked(String name, Consumer<ModelServices> order) {
    Owner owner = owners.stream().filter(o -> o.life().responds()).findFirst().orElse(null);
    try {
      if (owner != null) {
        order.accept(owner.services());
        return;
      }
    } catch (Refusal refused) {
      time.say(() -> name + ": " + refused.getMessage());
      return;
    } catch (ProcessDied | RuntimeException unanswered) {
      time.say(() -> name + " unanswered: " + unanswered);
    }
    time.in(EVERY, "owner of " + name + " again", () -> asked(name, order));
  }

  /** Each service returns to its first version, serves for a few minutes, and is deleted. */
  void heal() {
    ordering = false;
    time.in(RETURN, "owners roll back", () -> NAMES.forEach(name -> back(name, 1)));
    time.in(
        REMAIN,
        "owners delete their services",
        () ->
            NAMES.forEach(name -> {
              returned(name);
              asked(name, all -> all.remove(durable.actor(), named(name), false));
            }));
  }

  /** Checks that a rollback restored the weights, or waits and states the cause. */
  private void returned(String name) {
    ServiceState state = state(name);
    if (state == null || state.weights().isEmpty()) {
      return;
    }
    Rollout rollout = state.rollout();
    boolean first = state.stable() == 1 && Integer.valueOf(100).equals(state.weights().get(1));
    boolean waits = rollout != null && rollout.open() && rollout.target() == 1;
    if (!first && !waits) {
      throw new InvariantBroken(Invariant.SERVICE_ORDER_REMAINS, "not rolled back: " + state);
    }
  }
}
