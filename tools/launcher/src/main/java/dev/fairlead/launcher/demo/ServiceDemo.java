package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.StartFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** Serves a model, applies a bad version, and shows that it is rolled back. */
final class ServiceDemo {
  private static final String SERVICE = "/projects/default/services/chat";
  private static final Duration POLL = Duration.ofMillis(250);
  private final FairleadApi api;
  private final Path examples;
  private final Consumer<String> screen;
  private final Duration longest;

  /**
   * @param examples directory of {@code chat.yaml} and {@code chat-bad.yaml}
   * @param longest maximum wait for each phase
   */
  ServiceDemo(FairleadApi api, Path examples, Consumer<String> screen, Duration longest) {
    this.api = api;
    this.examples = examples;
    this.screen = screen;
    this.longest = longest;
  }

  /**
   * Returns whether the bad version was rolled back.
   *
   * @throws StartFailed when an example cannot be read
   */
  boolean play() throws InterruptedException {
    apply("chat.yaml");
    boolean good = await(service -> weight(service, 1) == 100 && ready(service) == 3);
    screen.accept("Service chat: " + summary(api.get(SERVICE)));
    apply("chat-bad.yaml");
    boolean back = good && await(service -> phase(service).equals("ROLLED_BACK"));
    JsonNode ended = api.get(SERVICE);
    screen.accept("Service chat: " + summary(ended));
    screen.accept(
        "    %s: %s".formatted(phase(ended), ended.at("/rollout/reason").asString("no rollout")));
    api.delete(SERVICE);
    return back && weight(ended, 1) == 100;
  }

  private void apply(String file) {
    try {
      JsonNode _ = api.putYaml(SERVICE, Files.readString(examples.resolve(file)));
    } catch (IOException e) {
      throw new StartFailed(examples.resolve(file) + " cannot be read: " + e, e);
    }
  }

  private boolean await(Predicate<JsonNode> reached) throws InterruptedException {
    Instant until = Instant.now().plus(longest);
    while (!reached.test(api.get(SERVICE))) {
      if (Instant.now().isAfter(until)) {
        return false;
      }
      Thread.sleep(POLL);
    }
    return true;
  }

  private static String phase(JsonNode service) {
    return service.at("/rollout/phase").asString("");
  }

  private static int weight(JsonNode service, int version) {
    int weight = 0;
    for (JsonNode backend : service.path("backends")) {
      weight += backend.path("version").asInt(0) == version ? backend.path("weight").asInt(0) : 0;
    }
    return weight;
  }

  private static int ready(JsonNode service) {
    int ready = 0;
    for (JsonNode backend : service.path("backends")) {
      ready += backend.path("ready").asInt(0);
    }
    return ready;
  }

  private static String summary(JsonNode service) {
    return "version %d has %d %% of the traffic, %d replicas are ready"
        .formatted(
            service.path("stableVersion").asInt(0),
            weight(service, service.path("stableVersion").asInt(0)),
            ready(service));
  }
}
