package dev.fairlead.work.workload.kubernetes;

import com.sun.net.httpserver.HttpExchange;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An API server with well-formed but false responses: nodes become ready and unready and vanish,
 * all pods, including ours, have another phase in each response, and resource versions decrease.
 * Writes are refused.
 */
final class FlappingCluster {
  private static final long SEED = 8;
  private static final Duration BETWEEN_LIES = Duration.ofMillis(5);
  private static final int NODES = 4;
  private static final int PODS = 8;

  /**
   * Number of objects created before the first report, because their creation is not part of the
   * cost of a cluster.
   */
  private static final int LIES = 1_000;

  private static final List<String> READY = List.of("True", "False", "Unknown");
  private static final List<String> PHASES =
      List.of("Pending", "Running", "Succeeded", "Failed", "Unknown");
  private static final Pattern OURS =
      Pattern.compile(Pattern.quote(ObjectLabels.INSTALLATION) + "=([^,&]+)");

  private final SeededIds ids = new SeededIds(SEED);
  private final List<AttemptId> attempts = new ArrayList<>();
  private final SplittableRandom seeds = new SplittableRandom(SEED);
  private final AtomicInteger told = new AtomicInteger();
  private final Map<String, List<byte[]>> events = new ConcurrentHashMap<>();

  FlappingCluster() {
    for (int i = 0; i < PODS; i++) {
      attempts.add(new AttemptId(ids.next()));
    }
  }

  /** The number of events it sent. */
  int told() {
    return told.get();
  }

  LyingApiServer on(LyingApiServer server) {
    return server
        .lies("version", e -> FakeApiServer.send(e, 200, LyingApiServer.VERSION))
        .lies("list nodes", e -> list(e, random -> node(random, random.nextInt(NODES))))
        .lies("watch nodes", e -> flap(e, "", random -> node(random, random.nextInt(NODES))))
        .lies("list pods", e -> list(e, random -> pod(ours(e), random, random.nextInt(PODS))))
        .lies(
            "watch pods",
            e -> flap(e, ours(e), random -> pod(ours(e), random, random.nextInt(PODS))));
  }

  /** One object in a state of chance. */
  @FunctionalInterface
  private interface Told {
    HasMetadata with(SplittableRandom random);
  }

  private synchronized SplittableRandom random() {
    return seeds.split();
  }

  private void list(HttpExchange exchange, Told object) throws IOException {
    String item = Serialization.asJson(object.with(random()));
    FakeApiServer.send(exchange, 200, LyingApiServer.list("", item));
  }

  private void flap(HttpExchange exchange, String ours, Told object) throws IOException {
    String asked = exchange.getRequestURI().getPath() + " " + ours;
    List<byte[]> lies = events.computeIfAbsent(asked, watch -> lies(object));
    SplittableRandom random = random();
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    while (!Thread.currentThread().isInterrupted()) {
      out.write(lies.get(random.nextInt(LIES)));
      out.flush();
      told.incrementAndGet();
      RealCluster.pause(BETWEEN_LIES);
    }
  }

  private List<byte[]> lies(Told object) {
    SplittableRandom random = random();
    List<byte[]> lies = new ArrayList<>();
    for (int i = 0; i < LIES; i++) {
      String type = random.nextInt(8) == 0 ? "DELETED" : "MODIFIED";
      String event =
          "{\"type\":\"%s\",\"object\":%s}\n"
              .formatted(type, Serialization.asJson(object.with(random)).replace("\n", ""));
      lies.add(event.getBytes(StandardCharsets.UTF_8));
    }
    return lies;
  }

  private static Node node(SplittableRandom random, int number) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("liar-" + number)
        .withUid("u-" + number)
        .withResourceVersion(version(random))
        .endMetadata()
        .withNewStatus()
        .withAllocatable(Map.of("cpu", new Quantity("64"), "nvidia.com/gpu", new Quantity("8")))
        .addNewCondition()
        .withType("Ready")
        .withStatus(any(READY, random))
        .endCondition()
        .endStatus()
        .build();
  }

  /** The installation whose pods are listed, empty for all foreign pods. */
  private static String ours(HttpExchange exchange) {
    Matcher ours = OURS.matcher(String.valueOf(exchange.getRequestURI().getQuery()));
    return ours.find() ? ours.group(1) : "";
  }

  private Pod pod(String ours, SplittableRandom random, int number) {
    MemberKey member = new MemberKey("worker", 0, 0);
    AttemptId attempt = attempts.get(number);
    Map<String, String> labels =
        ours.isEmpty()
            ? Map.of()
            : Map.of(
                ObjectLabels.INSTALLATION,
                ours,
                ObjectLabels.ATTEMPT,
                attempt.bare(),
                ObjectLabels.ROLE,
                member.role(),
                ObjectLabels.INDEX,
                "0",
                ObjectLabels.INCARNATION,
                "0");
    return new PodBuilder()
        .withNewMetadata()
        .withName(ObjectNames.pod(attempt, member))
        .withNamespace(Namespaces.PREFIX + "lies")
        .withUid("u-" + number)
        .withLabels(labels)
        .withResourceVersion(version(random))
        .endMetadata()
        .withNewSpec()
        .withNodeName("liar-" + number % NODES)
        .addNewContainer()
        .withName("main")
        .withImage("x")
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase(any(PHASES, random))
        .endStatus()
        .build();
  }

  private static String version(SplittableRandom random) {
    return Integer.toString(1 + random.nextInt(1_000));
  }

  private static String any(List<String> of, SplittableRandom random) {
    return of.get(random.nextInt(of.size()));
  }
}
